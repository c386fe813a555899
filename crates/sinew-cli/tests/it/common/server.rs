//! A running `sinew view`, and raw requests to it.

use super::Folder;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A client that waits longer than this for a byte fails its test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server; ends when dropped.
pub(crate) struct Viewer {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    /// Kept open, so that the server can print.
    _stdout: BufReader<ChildStdout>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Viewer {
    /// Starts the server in a folder and waits for its address.
    pub(crate) fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.command();
        command.args(["view", "--no-open"]).args(args);
        Self::spawn(command)
    }

    /// Starts a prepared command and waits for its address.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let url = loop {
            let mut line = String::new();
            let count = stdout.read_line(&mut line).unwrap();
            if let Some((_, url)) = line.trim_end().split_once("http://127.0.0.1:") {
                break url.to_owned();
            }
            assert!(count > 0, "it ended: {:?}", child.wait_with_output());
        };
        let (port, rest) = url.split_once('/').unwrap();
        Self {
            child,
            port: port.parse().unwrap(),
            token: rest.strip_suffix('/').unwrap().to_owned(),
            _stdout: stdout,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and reads the answer. The server may refuse before it has read all of them.
    pub(crate) fn send(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::of(&bytes)
    }

    /// The request for a path below the token.
    pub(crate) fn request(&self, path: &str) -> String {
        let Self { port, token, .. } = self;
        format!("GET /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n")
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(self.request(path).as_bytes())
    }

    /// Expects an answer and returns its body.
    pub(crate) fn body(&self, path: &str) -> Vec<u8> {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.body(path)).unwrap()
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        let list = self.json("files.json");
        let files = list["files"].as_array().unwrap().iter();
        files
            .map(|file| file["name"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Waits for an event whose list of files is as wanted.
    pub(crate) fn wait_for(&self, mut is_wanted: impl FnMut(&Value) -> bool) -> Value {
        let mut stream = self.connect();
        stream
            .write_all(self.request("changes").as_bytes())
            .unwrap();
        for line in BufReader::new(stream).lines() {
            if let Some(json) = line.unwrap().strip_prefix("data: ") {
                let list: Value = serde_json::from_str(json).unwrap();
                if is_wanted(&list["files"]) {
                    return list;
                }
            }
        }
        panic!("the stream ended");
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(bytes)));
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self {
            status,
            head,
            body: bytes[end + 4..].to_vec(),
        }
    }
}
