//! The answers of `sinew view`: the page, the list of files, and what belongs to each, under numbers.

use super::analysis::{Analyses, Analysis, MAX_ANALYSED_BYTES, reading};
use super::companions::{self, CompanionContent, CompanionFile};
use super::http::{Response, ResponseBody, Site};
use super::library::{Item, Library, ServedPaths, Stamp};
use crate::input::{self, LoadedFile};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

/// Content security policy of the page: it may run its own scripts and fetch from here.
const PAGE_HEADERS: &str = "Content-Security-Policy: default-src 'none'; \
    script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src 'self' data: blob:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n";

/// The shortest time between two looks at the disk, and between two events.
const PAUSE: Duration = Duration::from_millis(500);

/// A look at the disk takes at most this part of the time: a gallery on a slow disk is watched less often.
const WATCH_SHARE: u32 = 20;

/// A client that left is noticed within this time.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The files, as served.
#[derive(Clone)]
pub(super) struct ViewerSite(Arc<SiteState>);

/// The state that all connections share.
struct SiteState {
    served_paths: ServedPaths,
    library: Mutex<Library>,
    is_changed: Condvar,
    analyses: Analyses,
}

impl ViewerSite {
    pub(super) fn new(served_paths: ServedPaths) -> Self {
        Self(Arc::new(SiteState {
            library: Mutex::new(Library::new(&served_paths)),
            served_paths,
            is_changed: Condvar::new(),
            analyses: Analyses::new(),
        }))
    }

    /// Returns the number of files.
    pub(super) fn len(&self) -> usize {
        self.0.lock().items().len()
    }

    /// Looks for changes until the process ends.
    pub(super) fn watch(&self) -> io::Result<()> {
        let shared = self.0.clone();
        let work = move || {
            loop {
                let started = Instant::now();
                let watched = shared.lock().companions();
                let companions = watched.into_iter().map(|(number, path)| {
                    let stamp = Stamp::of(&path).unwrap_or_default();
                    ((number, path), stamp)
                });
                let companions: Vec<_> = companions.collect();
                let found = shared.served_paths.scan();
                shared.lock().update(found, &companions);
                shared.is_changed.notify_all();
                thread::sleep(PAUSE.max(started.elapsed() * WATCH_SHARE));
            }
        };
        thread::Builder::new().name("watch".into()).spawn(work)?;
        Ok(())
    }
}

impl Site for ViewerSite {
    fn answer(&self, path: &str) -> Response {
        let parts: Vec<&str> = path.split('/').collect();
        match *parts.as_slice() {
            [""] => Response {
                headers: PAGE_HEADERS,
                ..Response::new(
                    "text/html; charset=utf-8",
                    ResponseBody::Static(sinew_viewer::VIEWER.as_bytes()),
                )
            },
            ["files.json"] => Response::bytes(JSON, self.0.list().1.into_bytes()),
            ["changes"] => self.changes(),
            ["f", number] => self.0.with(number, "", |item, _| file(item)),
            ["t", number] => self
                .0
                .with(number, ".png", |item, number| self.0.picture(item, number)),
            ["d", number] => self
                .0
                .with(number, ".json", |item, number| self.0.details(item, number)),
            ["c", number] => self.0.with(number, ".json", |item, number| {
                let json = self.0.companions_json(item, number);
                Response::bytes(JSON, json.to_string().into_bytes())
            }),
            ["c", number, index] => self.0.with(number, "", |item, _| {
                let found = companions::find(item, &self.0.served_paths);
                let index = parse_number(index);
                match index.and_then(|index| found.files.get(index)) {
                    Some(companion) => companion_file(companion),
                    None => Response::not_found(),
                }
            }),
            _ => Response::not_found(),
        }
    }
}

impl ViewerSite {
    /// Returns a stream with the list of files, at once and after each change.
    fn changes(&self) -> Response {
        let shared = self.0.clone();
        let write = move |client: &mut dyn Write| {
            let mut sent = None;
            loop {
                let text = match shared.wait_for_change(sent) {
                    Some((version, json)) => {
                        sent = Some(version);
                        format!("event: files\ndata: {json}\n\n")
                    }
                    None => ":\n\n".to_owned(),
                };
                client.write_all(text.as_bytes())?;
                client.flush()?;
                thread::sleep(PAUSE);
            }
        };
        Response::new("text/event-stream", ResponseBody::Stream(Box::new(write)))
    }
}

impl SiteState {
    fn lock(&self) -> MutexGuard<'_, Library> {
        self.library.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a version other than the one sent; returns `None` after a while without.
    fn wait_for_change(&self, sent: Option<u64>) -> Option<(u64, String)> {
        let library = self.lock();
        let is_same = |library: &mut Library| sent == Some(library.version());
        let waited = self
            .is_changed
            .wait_timeout_while(library, HEARTBEAT, is_same);
        let (library, result) = waited.unwrap_or_else(PoisonError::into_inner);
        drop(library);
        (!result.timed_out()).then(|| self.list())
    }

    /// Returns the version and the list of files.
    fn list(&self) -> (u64, String) {
        let library = self.lock();
        let files = library.items().iter().enumerate();
        let files: Vec<Value> = files.map(|(number, item)| entry(number, item)).collect();
        let json = json!({
            "version": 1,
            "title": self.served_paths.title(),
            "gallery": self.served_paths.is_gallery(),
            "files": files,
        });
        (library.version(), json.to_string())
    }

    /// Answers for the file of a number, written as in an address.
    fn with(
        &self,
        number: &str,
        ending: &str,
        answer: impl FnOnce(&Item, usize) -> Response,
    ) -> Response {
        let number = number.strip_suffix(ending).and_then(parse_number);
        let item = number.and_then(|number| self.lock().items().get(number).cloned());
        match (number, item) {
            (Some(number), Some(item)) => answer(&item, number),
            _ => Response::not_found(),
        }
    }

    fn analyse(&self, item: &Item, number: usize) -> Option<Arc<Analysis>> {
        let (settings, source) = reading(self.served_paths.asf());
        let analysis = self.analyses.get(number, item.modified, || {
            let is_stdin = item.bytes.filter(|_| !input::is_sample_name(&item.origin));
            let input = match is_stdin {
                Some(bytes) => {
                    let loaded = LoadedFile {
                        path: item.origin.clone(),
                        bytes: bytes.to_vec(),
                    };
                    input::open_loaded(loaded, settings, &source)
                }
                None => input::open(&item.origin, settings, &source),
            };
            Analysis::of(input, &item.origin)
        })?;
        let error = analysis.error.as_deref();
        self.lock().set_error(number, item.modified, error);
        self.is_changed.notify_all();
        Some(analysis)
    }

    fn picture(&self, item: &Item, number: usize) -> Response {
        if item.size() > MAX_ANALYSED_BYTES {
            return Response::not_found();
        }
        let Some(analysis) = self.analyse(item, number) else {
            return busy();
        };
        match &analysis.picture {
            Some(picture) => Response::new("image/png", ResponseBody::Bytes(picture.clone())),
            None => Response::not_found(),
        }
    }

    fn details(&self, item: &Item, number: usize) -> Response {
        let mut json = entry(number, item);
        let mut add = |more: &Value| {
            if let (Some(json), Some(more)) = (json.as_object_mut(), more.as_object()) {
                json.extend(more.clone());
            }
        };
        if item.size() <= MAX_ANALYSED_BYTES {
            let Some(analysis) = self.analyse(item, number) else {
                return busy();
            };
            add(&analysis.details);
            if let Some(error) = &analysis.error {
                add(&json!({ "error": error }));
            }
        }
        add(&self.companions_json(item, number));
        Response::bytes(JSON, json.to_string().into_bytes())
    }

    /// Lists the files that a file refers to; from then on, their changes are its own.
    fn companions_json(&self, item: &Item, number: usize) -> Value {
        let found = companions::find(item, &self.served_paths);
        let mut library = self.lock();
        for companion in &found.files {
            if let CompanionContent::Disk(path) = &companion.content {
                library.watch(number, path);
            }
        }
        let files = found.files.iter().enumerate().map(|(index, companion)| {
            json!({ "name": companion.name, "url": format!("c/{number}/{index}") })
        });
        let mut json = json!({ "companions": files.collect::<Vec<_>>() });
        if let Some(problem) = found.problem {
            json["companion_error"] = problem.into();
        }
        json
    }
}

fn entry(number: usize, item: &Item) -> Value {
    let mut json = json!({
        "id": number,
        "name": item.name,
        "size": item.size(),
        "modified": item.modified,
        "format": item.format.map(|format| format.name()),
        "companions": companions::may_have(item.format),
        "url": format!("f/{number}"),
        "thumbnail": format!("t/{number}.png"),
        "details": format!("d/{number}.json"),
    });
    if let Some(error) = &item.error {
        json["error"] = error.as_str().into();
    }
    if item.is_removed {
        json["removed"] = true.into();
    }
    json
}

/// Parses a number as it is written in addresses: without sign and leading zeros.
fn parse_number(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn busy() -> Response {
    Response {
        headers: "Retry-After: 2\r\n",
        ..Response::refusal(503, "Too many files are being read.\n")
    }
}

fn file(item: &Item) -> Response {
    match item.bytes {
        Some(bytes) => Response::new(BYTES, ResponseBody::Static(bytes)),
        None => disk_file(&item.origin),
    }
}

fn companion_file(companion: &CompanionFile) -> Response {
    match &companion.content {
        CompanionContent::Disk(path) => disk_file(path),
        CompanionContent::Memory(bytes) => Response::new(BYTES, ResponseBody::Static(bytes)),
    }
}

/// Answers with a file, streamed. It may have disappeared, or become a pipe, since it was found.
fn disk_file(path: &Path) -> Response {
    let opened = Stamp::of(path).and_then(|_| File::open(path));
    let opened = opened.and_then(|file| Ok((file.metadata()?, file)));
    match opened {
        Ok((about, file)) if about.is_file() => {
            Response::new(BYTES, ResponseBody::File(file, about.len()))
        }
        _ => Response::refusal(404, "The file cannot be read any more.\n"),
    }
}
