//! `sinew view`: what it serves, and what it refuses, through raw sockets.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, WALK};
use common::server::Viewer;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
#[cfg(target_os = "linux")]
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A folder with a motion, a character, an AMC with its skeleton, a broken file, and a secret beside it.
fn gallery() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("files/sub")).unwrap();
    folder.write("files/walk.bvh", BVH);
    folder.write("files/pip.skf", common::PIP);
    folder.write("files/sub/07.asf", FIGURE);
    folder.write("files/sub/07_05.amc", WALK);
    folder.write("files/broken.bvh", "HIERARCHY\nROOT\n");
    folder.write("files/notes.txt", "SECRET");
    folder.write("secret.bvh", "SECRET");
    folder
}

#[test]
fn the_page_the_list_and_the_files_are_served() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    let page = viewer.get("");
    assert_eq!(page.status, 200);
    let head = page.head.to_ascii_lowercase();
    for line in [
        "content-type: text/html",
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert!(!head.contains("access-control"), "{head}");
    let text = String::from_utf8(page.body).unwrap();
    assert!(text.contains("<!-- sinew:payload -->"));

    let list = viewer.json("files.json");
    assert_eq!(
        (&list["version"], &list["gallery"]),
        (&1.into(), &true.into())
    );
    assert_eq!(
        viewer.names(),
        ["broken.bvh", "pip.skf", "sub/07_05.amc", "walk.bvh"]
    );
    for (index, bytes) in [(1, common::PIP), (2, WALK.as_ref()), (3, BVH.as_ref())] {
        let file = &list["files"][index];
        assert_eq!(file["size"], bytes.len());
        assert_eq!(viewer.body(file["url"].as_str().unwrap()), bytes);
    }
    let request = viewer.request("f/3").replacen("GET", "HEAD", 1);
    let answer = viewer.send(request.as_bytes());
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    let length = format!("Content-Length: {}", BVH.len());
    assert!(answer.head.contains(&length), "{}", answer.head);
}

#[test]
fn details_pictures_and_errors_of_files_are_served() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    let broken = viewer.json("d/0.json");
    let error = broken["error"].as_str().unwrap();
    assert!(error.starts_with("line 3"), "{error}");
    assert_eq!(viewer.get("t/0.png").status, 404);
    // The error is on the card of the gallery too.
    viewer.wait_for(|files| files[0]["error"] == *error);

    let pip = viewer.json("d/1.json");
    assert_eq!(pip["kind"], "character");
    assert_eq!(pip["animations"][1]["name"], "walk");
    assert_eq!(pip["styles"][1], "Winter");
    let walk = viewer.json("d/3.json");
    assert_eq!(walk["kind"], "motion");
    assert_eq!(walk["animations"][0]["frames"], 4);
    for path in ["t/1.png", "t/3.png"] {
        let picture = viewer.body(path);
        folder.write("t.png", picture);
        let picture = folder.png("t.png");
        assert_eq!((picture.width(), picture.height()), (320, 240));
        assert!(common::ink(&picture) > 200, "{path}");
    }
}

#[test]
fn nothing_else_is_served() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    for path in [
        "notes.txt",
        "files/walk.bvh",
        "../secret.bvh",
        "f/../../secret.bvh",
        "f/..%2f..%2fsecret.bvh",
        "f/%2e%2e/%2e%2e/secret.bvh",
        "f/..\\..\\secret.bvh",
        "/etc/passwd",
        "f//etc/passwd",
        "f/",
        "f/4",
        "f/-1",
        "f/+0",
        "f/00",
        "f/0/",
        "f/99999999999999999999999",
        "c/2/1",
        "c/2/-1",
        "c/2/../../secret.bvh",
        "t/0",
        "d/0.json/",
        "files.json/",
        "index.html",
        "%00",
    ] {
        let answer = viewer.get(path);
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("SECRET"));
    }
    // A query is ignored.
    assert_eq!(viewer.get("f/3?x=../../secret.bvh").status, 200);
}

#[test]
fn foreign_requests_are_refused() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    let (port, token) = (viewer.port, &viewer.token);
    assert_eq!(token.len(), 32);
    let host = format!("Host: 127.0.0.1:{port}");
    let wrong = "0".repeat(32);
    let huge = "x".repeat(100_000);
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\n{host}"), 404),
        (format!("GET /{wrong}/ HTTP/1.1\r\n{host}"), 404),
        (format!("GET /{wrong}/files.json HTTP/1.1\r\n{host}"), 404),
        (format!("GET /{token} HTTP/1.1\r\n{host}"), 404),
        (format!("GET /{} HTTP/1.1\r\n{host}", &token[1..]), 404),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: evil.example"), 403),
        (
            format!("GET /{token}/ HTTP/1.1\r\nHost: evil.example:{port}"),
            403,
        ),
        (format!("GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:1"), 403),
        (format!("GET /{token}/ HTTP/1.1\r\nHost:"), 403),
        (
            format!("GET /{token}/ HTTP/1.1\r\n{host}\r\nHost: evil.example"),
            400,
        ),
        (format!("GET /{token}/ HTTP/1.1"), 400),
        (format!("GET /{token}/ HTTP/1.0"), 400),
        (format!("GET /{token}/ HTTP/1.0\r\n{host}"), 200),
        (
            format!("GET /{token}/ HTTP/1.1\r\nHost: localhost:{port}"),
            200,
        ),
        (
            format!("POST /{token}/ HTTP/1.1\r\n{host}\r\nContent-Length: 2\r\n\r\nhi"),
            405,
        ),
        (format!("PUT /{token}/f/0 HTTP/1.1\r\n{host}"), 405),
        (format!("DELETE /{token}/f/0 HTTP/1.1\r\n{host}"), 405),
        (
            format!("OPTIONS /{token}/ HTTP/1.1\r\n{host}\r\nOrigin: https://evil.example"),
            405,
        ),
        (format!("CONNECT evil.example:80 HTTP/1.1\r\n{host}"), 405),
        (
            format!("GET http://127.0.0.1:{port}/{token}/ HTTP/1.1\r\n{host}"),
            400,
        ),
        (format!("GET /{token}/ HTTP/3\r\n{host}"), 505),
        ("\u{16}\u{3}\u{1} TLS".to_owned(), 400),
        (
            format!("GET /{token}/ HTTP/1.1\r\n{host}\r\nX: {huge}"),
            431,
        ),
        (format!("GET /{token}/{huge} HTTP/1.1\r\n{host}"), 431),
        (
            format!(
                "GET /{token}/ HTTP/1.1\r\n{host}{}",
                "\r\nX: y".repeat(20_000)
            ),
            431,
        ),
    ] {
        let answer = viewer.send(format!("{request}\r\n\r\n").as_bytes());
        let shown: String = request.chars().take(100).collect();
        assert_eq!(answer.status, status, "{shown}: {answer:?}");
        if status == 405 {
            assert!(answer.head.contains("Allow: GET, HEAD"), "{answer:?}");
        }
    }
}

#[test]
fn slow_clients_do_not_delay_others() {
    let folder = gallery();
    let big = std::fs::File::create(folder.path("files/zz.bvh")).unwrap();
    big.set_len(64 << 20).unwrap();
    let viewer = Viewer::start(&folder, &["files"]);
    let mut waiting: Vec<TcpStream> = Vec::new();
    for request in ["", "G", "GET /", viewer.request("").trim_end()] {
        for _ in 0..8 {
            let mut client = viewer.connect();
            client.write_all(request.as_bytes()).unwrap();
            waiting.push(client);
        }
    }
    // These ask for a file and do not read it.
    for _ in 0..8 {
        let mut client = viewer.connect();
        client.write_all(viewer.request("f/4").as_bytes()).unwrap();
        waiting.push(client);
    }
    assert_eq!(viewer.body("f/3"), BVH.as_bytes());
    assert_eq!(viewer.get("t/3.png").status, 200);
    // A request that comes in pieces is answered.
    let mut client = viewer.connect();
    for byte in viewer.request("f/3").as_bytes() {
        client.write_all(&[*byte]).unwrap();
    }
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    assert!(answer.ends_with(BVH.as_bytes()));
}

#[test]
fn fifty_parallel_requests_are_answered() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    std::thread::scope(|scope| {
        for number in 0..50 {
            let viewer = &viewer;
            scope.spawn(move || {
                let path = ["f/3", "t/1.png", "files.json", "d/2.json", ""][number % 5];
                assert_eq!(viewer.get(path).status, 200, "{path}");
            });
        }
    });
}

#[test]
fn large_files_are_streamed() {
    let folder = Folder::new();
    let big = std::fs::File::create(folder.path("big.bvh")).unwrap();
    big.set_len(200 << 20).unwrap();
    let viewer = Viewer::start(&folder, &["big.bvh"]);
    let mut client = viewer.connect();
    client.write_all(viewer.request("f/0").as_bytes()).unwrap();
    let mut bytes = vec![0; 1 << 20];
    let mut total = 0;
    loop {
        match client.read(&mut bytes).unwrap() {
            0 => break,
            count => total += count,
        }
    }
    assert!(total > 200 << 20 && total < (200 << 20) + 1000, "{total}");
    assert_eq!(viewer.get("t/0.png").status, 404);
    assert_eq!(viewer.json("d/0.json")["size"], 200 << 20);
    #[cfg(target_os = "linux")]
    {
        let status = format!("/proc/{}/status", viewer.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        let peak = peak.and_then(|line| line.split_whitespace().nth(1));
        let kilobytes: u64 = peak.unwrap().parse().unwrap();
        assert!(kilobytes < 60_000, "{kilobytes} kB");
    }
}

#[test]
fn changes_of_files_are_reported() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    let list = viewer.json("files.json");
    let modified = list["files"][3]["modified"].as_u64().unwrap();
    folder.write("files/walk.bvh", BVH.replace("MOTION", "MOTION "));
    folder.write("files/another.bvh", BVH);
    std::fs::remove_file(folder.path("files/broken.bvh")).unwrap();
    viewer.wait_for(|files| {
        files[3]["modified"].as_u64().unwrap() > modified
            && files[4]["name"] == "another.bvh"
            && files[0]["removed"] == true
    });
    let gone = viewer.get("f/0");
    assert_eq!(gone.status, 404, "{gone:?}");
    assert_eq!(viewer.get("t/0.png").status, 404);
    assert!(viewer.json("d/0.json")["error"].is_string());
    // A file that comes back keeps its number and loses its error.
    folder.write("files/broken.bvh", BVH);
    viewer.wait_for(|files| files[0]["removed"].is_null() && files[0]["error"].is_null());
    assert_eq!(viewer.body("f/0"), BVH.as_bytes());
    assert_eq!(viewer.json("d/0.json")["kind"], "motion");
}

#[test]
fn files_that_a_file_refers_to_are_served_if_they_are_inside() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    let found = viewer.json("c/2.json");
    assert_eq!(found["companions"][0]["name"], "07.asf");
    let url = found["companions"][0]["url"].as_str().unwrap();
    assert_eq!(viewer.body(url), FIGURE.as_bytes());
    assert_eq!(viewer.json("d/2.json")["kind"], "motion");
    assert_eq!(
        viewer.json("c/3.json")["companions"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
    // A changed skeleton changes its motion.
    let modified = viewer.json("files.json")["files"][2]["modified"]
        .as_u64()
        .unwrap();
    folder.write("files/sub/07.asf", format!("{FIGURE}\n"));
    viewer.wait_for(|files| files[2]["modified"].as_u64().unwrap() > modified);
    drop(viewer);

    folder.write("files/a b.bin", "BINARY");
    folder.write("files/skin.png", "PNG");
    folder.write("outside.bin", "SECRET");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("outside.bin"), folder.path("files/link.bin")).unwrap();
    let uris = [
        "a%20b.bin",
        "../outside.bin",
        "..%2foutside.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "link.bin",
        "missing.bin",
        "data:application/octet-stream;base64,AAAA",
    ];
    let buffers: Vec<String> = uris
        .map(|uri| format!(r#"{{"byteLength":3,"uri":"{uri}"}}"#))
        .into();
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{}],"images":[{{"uri":"skin.png"}}]}}"#,
        buffers.join(",")
    );
    folder.write("files/fox.gltf", gltf);
    let viewer = Viewer::start(&folder, &["files/fox.gltf"]);
    let found = viewer.json("c/0.json");
    let names: Vec<&str> = found["companions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a%20b.bin", "skin.png"]);
    assert!(
        found["companion_error"]
            .as_str()
            .unwrap()
            .contains("outside")
    );
    assert_eq!(viewer.body("c/0/0"), b"BINARY");
    assert_eq!(viewer.body("c/0/1"), b"PNG");
    assert_eq!(viewer.get("c/0/2").status, 404);
}

#[test]
fn a_thousand_files_are_a_gallery() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("many")).unwrap();
    for number in 0..1000 {
        folder.write(&format!("many/{number:04}.bvh"), BVH);
    }
    let started = std::time::Instant::now();
    let viewer = Viewer::start(&folder, &["many"]);
    assert_eq!(viewer.names().len(), 1000);
    common::say(&format!("1000 files listed after {:?}", started.elapsed()));
    assert_eq!(viewer.json("d/999.json")["animations"][0]["frames"], 4);
}

#[test]
fn built_in_samples_and_standard_input_are_viewed() {
    let folder = Folder::new();
    let viewer = Viewer::start(&folder, &["sample", "sample:walk"]);
    assert_eq!(viewer.names(), ["pip.skf", "walk.amc"]);
    assert_eq!(viewer.body("f/0"), common::PIP);
    assert_eq!(viewer.json("d/1.json")["joints"], 31);
    assert!(viewer.body("c/1/0").starts_with(b":version"));
    assert_eq!(viewer.json("files.json")["title"], "pip.skf, walk.amc");
}

#[test]
fn only_the_loopback_address_is_open() {
    let folder = gallery();
    let viewer = Viewer::start(&folder, &["files"]);
    let mut others = vec!["127.0.0.2".parse().unwrap()];
    // The address of the interface that leads outside; nothing is sent.
    let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
    if socket.connect("192.0.2.1:9").is_ok() {
        others.push(socket.local_addr().unwrap().ip());
    }
    for other in others
        .into_iter()
        .filter(|ip| !ip.to_string().ends_with(".0.0.1"))
    {
        assert!(TcpStream::connect((other, viewer.port)).is_err(), "{other}");
    }
    assert!(TcpStream::connect(("::1", viewer.port)).is_err());
}

#[test]
fn a_given_port_is_used_unless_it_is_taken() {
    let folder = gallery();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let args = ["view", "files", "--no-open", "--port", &port];
    folder.run_refused(&args, &["--port", &port, "use another"]);
    drop(taken);
    let viewer = Viewer::start(&folder, &["files", "--port", &port]);
    assert_eq!(viewer.port.to_string(), port);
    folder.run_refused(&["view", "files", "--port=0"], &["--port"]);
}

#[test]
fn what_cannot_be_viewed_is_refused() {
    let folder = gallery();
    for (args, said) in [
        (
            &["view", "files/wlak.bvh"][..],
            "did you mean files/walk.bvh?",
        ),
        (&["view", "*.none"], "no file matches"),
        (&["view", "sample:wlak"], "did you mean \"sample:walk\"?"),
        (&["view", "files", "--asf=none.asf"], "none.asf"),
        (&["view"], "<FILES>"),
    ] {
        folder.run_refused(args, &[said]);
    }
}

/// Started through `env`, because a test run in the background ignores interrupts, and so would its children.
#[cfg(target_os = "linux")]
#[test]
fn interrupt_ends_it() {
    let folder = gallery();
    let program = folder.command();
    let mut command = std::process::Command::new("env");
    command
        .args(["--default-signal=INT".as_ref(), program.get_program()])
        .args(["view", "--no-open", "files"])
        .current_dir(folder.path(""));
    let mut viewer = Viewer::spawn(command);
    let id = viewer.child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    let deadline = Instant::now() + Duration::from_secs(60);
    let status = loop {
        if let Some(status) = viewer.child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "still running");
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.signal(), Some(2), "{status:?}");
}

/// Without a browser the server runs on, and the user is told what to do.
#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn without_a_browser_there_is_a_hint() {
    let folder = gallery();
    let mut command = folder.command();
    let command = command.args(["view", "files", "--json"]).env("PATH", "");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut hint = [0; 5];
    child.stderr.take().unwrap().read_exact(&mut hint).unwrap();
    assert_eq!(&hint, b"hint:");
    assert!(child.try_wait().unwrap().is_none());
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        json["url"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
}
