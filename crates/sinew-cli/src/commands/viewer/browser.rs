//! Opens an address in the user's browser.

use std::process::{Command, Stdio};
use std::thread;

/// The programs that open an address, in the order in which they are tried.
#[cfg(target_os = "macos")]
const OPENERS: [&[&str]; 1] = [&["open"]];

/// The programs that open an address, in the order in which they are tried.
#[cfg(windows)]
const OPENERS: [&[&str]; 1] = [&["rundll32", "url.dll,FileProtocolHandler"]];

/// The programs that open an address, in the order in which they are tried.
#[cfg(not(any(target_os = "macos", windows)))]
const OPENERS: [&[&str]; 3] = [&["xdg-open"], &["gio", "open"], &["wslview"]];

/// Opens an address without waiting for the browser; calls `failed` if no program could do it.
pub(super) fn open(url: &str, failed: impl FnOnce() + Send + 'static) {
    let url = url.to_owned();
    let work = move || {
        let is_open = OPENERS.iter().any(|opener| {
            let (program, arguments) = opener.split_first().unwrap_or((&"", &[]));
            let mut command = Command::new(program);
            command.args(arguments).arg(&url);
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        });
        if !is_open {
            failed();
        }
    };
    // Without a thread the address is still on the terminal.
    let _ = thread::Builder::new().name("browser".into()).spawn(work);
}
