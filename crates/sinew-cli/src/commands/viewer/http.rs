//! A small HTTP/1.1 server for one page on the loopback address.
//!
//! ```text
//! connection ─▶ thread ─▶ head (16 kB, 10 s) ─▶ method, Host, token ─▶ site ─▶ answer, connection closed
//! ```
//!
//! Every connection has a thread and serves one request, so a slow client delays nobody. A request must name this server
//! in its `Host`, which a page of another site cannot fake (DNS rebinding), and the random token in its path, which
//! other users of the machine do not know.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a request up to its empty line. Browsers send about 1 kB.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The time in which a request must arrive.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The time in which a client must accept a part of an answer.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// Connections at once; a gallery opens six and each page one more.
const MAX_CONNECTIONS: usize = 256;

/// Bytes of a refused request that are read and discarded, so that the client gets the answer.
const MAX_DISCARDED: usize = 1 << 20;

/// The time in which they must arrive.
const DISCARD_TIME: Duration = Duration::from_secs(1);

/// Random bytes of the token.
const TOKEN_BYTES: usize = 16;

/// The server before it answers.
pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
}

/// Writes an answer of unknown length to the client until the client leaves.
pub(super) type Stream = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send>;

/// The content of an answer.
pub(super) enum ResponseBody {
    Static(&'static [u8]),
    Bytes(Arc<[u8]>),
    /// A file and its length.
    File(File, u64),
    Stream(Stream),
}

/// An answer.
pub(super) struct Response {
    pub(super) status: u16,
    /// The media type.
    pub(super) kind: &'static str,
    /// Further header lines.
    pub(super) headers: &'static str,
    pub(super) body: ResponseBody,
}

impl Response {
    pub(super) fn new(kind: &'static str, body: ResponseBody) -> Self {
        Self {
            status: 200,
            kind,
            headers: "",
            body,
        }
    }

    pub(super) fn bytes(kind: &'static str, bytes: Vec<u8>) -> Self {
        Self::new(kind, ResponseBody::Bytes(bytes.into()))
    }

    /// A refusal with a text.
    pub(super) fn refusal(status: u16, text: &'static str) -> Self {
        Self {
            status,
            ..Self::new(
                "text/plain; charset=utf-8",
                ResponseBody::Static(text.as_bytes()),
            )
        }
    }

    pub(super) fn not_found() -> Self {
        Self::refusal(
            404,
            "Not found. Open the address that `sinew view` prints.\n",
        )
    }
}

/// Finds the answer to a path below the token, without query.
pub(super) trait Site: Send + Sync + 'static {
    fn answer(&self, path: &str) -> Response;
}

impl Server {
    /// Opens a port on the loopback address: that one, or any free one.
    pub(super) fn bind(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        let port = listener.local_addr()?.port();
        let mut random = [0; TOKEN_BYTES];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            listener,
            port,
            token,
        })
    }

    /// Returns the address of the page.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Answers until the process ends.
    pub(super) fn run(self, site: &Arc<impl Site>) -> io::Result<()> {
        let gate = Arc::new(Gate {
            port: self.port,
            token: self.token,
        });
        let open = Arc::new(AtomicUsize::new(0));
        let mut failures = 0;
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => {
                    failures = 0;
                    stream
                }
                // Too many open files, or a client that left at once: others may have more luck.
                Err(_) if failures < 1000 => {
                    failures += 1;
                    thread::sleep(Duration::from_millis(10));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let place = Place::take(&open);
            let (site, gate) = (site.clone(), gate.clone());
            let work = move || {
                // A client that leaves is no error of the server.
                let _ = match place {
                    Some(_) => converse(stream, &gate, &*site),
                    None => turn_away(stream),
                };
            };
            // Without a thread the connection closes, and the browser tries again.
            let _ = thread::Builder::new().name("connection".into()).spawn(work);
        }
    }
}

/// A place among the connections, until it is dropped.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(open.clone());
        (open.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reads a request and answers it.
fn converse(mut stream: TcpStream, gate: &Gate, site: &impl Site) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let request = match read_head(&mut stream)? {
        Head::Whole(head) => gate.check(&head),
        Head::TooLong => Err(Response::refusal(431, "The request is too long.\n")),
        Head::TooSlow => Err(Response::refusal(408, "The request took too long.\n")),
        Head::Left => return Ok(()),
    };
    match request {
        Ok(request) => {
            let response = site.answer(&request.path);
            respond(&mut stream, response, request.is_head)?;
            stream.shutdown(Shutdown::Write)
        }
        Err(refusal) => {
            respond(&mut stream, refusal, false)?;
            discard(stream)
        }
    }
}

fn turn_away(mut stream: TcpStream) -> io::Result<()> {
    stream.set_write_timeout(Some(DISCARD_TIME))?;
    let refusal = Response {
        headers: "Retry-After: 2\r\n",
        ..Response::refusal(503, "Too many connections.\n")
    };
    respond(&mut stream, refusal, false)?;
    discard(stream)
}

/// Reads what a client still sends: closing a connection with unread bytes would discard the answer too.
fn discard(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let started = Instant::now();
    let mut bytes = [0; 4096];
    let mut discarded = 0;
    while let Some(left) = DISCARD_TIME.checked_sub(started.elapsed())
        && !left.is_zero()
        && discarded < MAX_DISCARDED
    {
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut bytes)? {
            0 => break,
            count => discarded += count,
        }
    }
    Ok(())
}

/// The head of a request.
enum Head {
    /// Everything up to the empty line.
    Whole(Vec<u8>),
    TooLong,
    TooSlow,
    /// The client closed the connection.
    Left,
}

fn read_head(stream: &mut TcpStream) -> io::Result<Head> {
    const END: &[u8] = b"\r\n\r\n";
    let started = Instant::now();
    let mut head = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let left = HEAD_TIME.saturating_sub(started.elapsed());
        if left.is_zero() {
            return Ok(Head::TooSlow);
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.read(&mut bytes) {
            Ok(0) => return Ok(Head::Left),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                return Ok(Head::TooSlow);
            }
            Err(error) => return Err(error),
        };
        // The end may be in two parts.
        let from = head.len().saturating_sub(END.len() - 1);
        head.extend_from_slice(&bytes[..count]);
        let end = head[from..].windows(END.len()).position(|part| part == END);
        if let Some(end) = end {
            head.truncate(from + end);
            return Ok(Head::Whole(head));
        }
        if head.len() > MAX_HEAD_BYTES {
            return Ok(Head::TooLong);
        }
    }
}

/// A request that is answered.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    /// The path below the token, without query.
    path: String,
    is_head: bool,
}

/// The port and the token that a request must have.
struct Gate {
    port: u16,
    token: String,
}

impl Gate {
    /// Parses the head of a request, without its empty line.
    fn check(&self, head: &[u8]) -> Result<Request, Response> {
        let malformed = || Response::refusal(400, "The request is malformed.\n");
        let head = std::str::from_utf8(head).map_err(|_| malformed())?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(malformed());
        };
        if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Response::refusal(505, "Only HTTP/1.1 is spoken here.\n"));
        }
        let mut host = None;
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            let is_name = |byte: u8| byte.is_ascii_graphic();
            if name.is_empty() || !name.bytes().all(is_name) {
                return Err(malformed());
            }
            let is_host = name.eq_ignore_ascii_case("host");
            if is_host && host.replace(value.trim_matches([' ', '\t'])).is_some() {
                return Err(malformed());
            }
        }
        // HTTP/1.0 knows no Host, but every browser sends it.
        let host = host.ok_or_else(|| Response::refusal(400, "The request has no Host.\n"))?;
        if !self.is_host(host) {
            let text = "This server answers only under the address that `sinew view` prints.\n";
            return Err(Response::refusal(403, text));
        }
        let is_head = method == "HEAD";
        if method != "GET" && !is_head {
            return Err(Response {
                headers: "Allow: GET, HEAD\r\n",
                ..Response::refusal(405, "Only GET and HEAD are allowed.\n")
            });
        }
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let below = path.strip_prefix('/').ok_or_else(malformed)?;
        let (token, path) = below.split_once('/').unwrap_or((below, ""));
        if !is_equal(token, &self.token) || !below.contains('/') {
            return Err(Response::not_found());
        }
        Ok(Request {
            path: path.to_owned(),
            is_head,
        })
    }

    fn is_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) => (name, port.parse().ok()),
            // Browsers omit the usual port.
            None => (host, Some(80)),
        };
        port == Some(self.port) && (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
    }
}

/// Compares in a time that does not depend on the position of the first difference.
fn is_equal(a: &str, b: &str) -> bool {
    let pairs = a.bytes().zip(b.bytes());
    a.len() == b.len() && pairs.fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// Writes an answer; of a request with HEAD only the head.
fn respond(stream: &mut TcpStream, response: Response, is_head: bool) -> io::Result<()> {
    let reason = match response.status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Error",
    };
    let length = match &response.body {
        ResponseBody::Static(bytes) => Some(bytes.len() as u64),
        ResponseBody::Bytes(bytes) => Some(bytes.len() as u64),
        ResponseBody::File(_, length) => Some(*length),
        ResponseBody::Stream(_) => None,
    };
    let length = length.map_or(String::new(), |length| {
        format!("Content-Length: {length}\r\n")
    });
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\n{length}{}Connection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
        response.status, response.kind, response.headers
    );
    stream.write_all(head.as_bytes())?;
    if is_head {
        return Ok(());
    }
    match response.body {
        ResponseBody::Static(bytes) => stream.write_all(bytes),
        ResponseBody::Bytes(bytes) => stream.write_all(&bytes),
        ResponseBody::File(file, length) => io::copy(&mut file.take(length), stream).map(drop),
        ResponseBody::Stream(write) => write(stream),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &str) -> Result<Request, u16> {
        let gate = Gate {
            port: 8000,
            token: "secret".into(),
        };
        gate.check(head.as_bytes())
            .map_err(|refusal| refusal.status)
    }

    #[test]
    fn requests_that_are_malformed_or_foreign_are_refused() {
        for (head, status) in [
            ("", 400),
            ("GET", 400),
            ("GET /secret/", 400),
            ("GET  /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 400),
            ("GET /secret/ HTTP/1.1", 400),
            ("GET /secret/ HTTP/1.0", 400),
            ("GET /secret/ HTTP/2.0\r\nHost: 127.0.0.1:8000", 505),
            ("GET /secret/ HTTP/1.1\r\nHost 127.0.0.1:8000", 400),
            ("GET /secret/ HTTP/1.1\r\nHost : 127.0.0.1:8000", 400),
            ("GET /secret/ HTTP/1.1\r\n Host: 127.0.0.1:8000", 400),
            (
                "GET /secret/ HTTP/1.1\r\nHost: localhost:8000\r\nhost: localhost:8000",
                400,
            ),
            ("GET /secret/ HTTP/1.1\r\nHost: evil.example:8000", 403),
            ("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8001", 403),
            ("GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1", 403),
            (
                "GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1.evil.example:8000",
                403,
            ),
            (
                "GET /secret/ HTTP/1.1\r\nHost: evil.example:8000@127.0.0.1:8000",
                403,
            ),
            ("GET /secret/ HTTP/1.1\r\nHost: [::1]:8000", 403),
            ("POST /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 405),
            ("get /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 405),
            (
                "GET http://127.0.0.1:8000/secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000",
                400,
            ),
            ("GET secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 400),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000", 404),
            ("GET /secret HTTP/1.1\r\nHost: 127.0.0.1:8000", 404),
            ("GET /secre/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 404),
            ("GET /secrets/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 404),
            ("GET //secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000", 404),
        ] {
            assert_eq!(check(head), Err(status), "{head:?}");
        }
        assert!(check("GET /secret/\u{e4} HTTP/1.1\r\nHost: localhost:8000").is_ok());
        let gate = Gate {
            port: 1,
            token: String::new(),
        };
        assert!(gate.check(b"GET /\xff HTTP/1.1").is_err());
    }

    #[test]
    fn a_request_has_a_path_below_the_token_without_its_query() {
        let request = |path: &str, is_head| Request {
            path: path.into(),
            is_head,
        };
        let head = "GET /secret/f/0?x=1 HTTP/1.1\r\nAccept: */*\r\nhOST:\t LocalHost:8000 ";
        assert_eq!(check(head), Ok(request("f/0", false)));
        let head = "HEAD /secret/ HTTP/1.1\r\nHost: 127.0.0.1:8000";
        assert_eq!(check(head), Ok(request("", true)));
    }
}
