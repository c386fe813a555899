//! `sinew view`: serves the viewer page and files to the user's own browser.

use super::browser;
use super::http::Server;
use super::library::ServedPaths;
use super::site::ViewerSite;
use crate::Outcome;
use crate::args::ViewArgs;
use crate::error::CliError;
use crate::report::{self, bold, count, dim};
use serde_json::json;
use std::io;
use std::sync::Arc;

pub(super) fn run(args: &ViewArgs) -> Result<Outcome, CliError> {
    let served_paths = ServedPaths::new(&args.files, args.asf.as_deref())?;
    let title = served_paths.title();
    let server = Server::bind(args.port).map_err(|error| port_error(args.port, &error))?;
    let site = ViewerSite::new(served_paths);
    let failed = |error: io::Error| CliError::Unusable {
        path: "the server".to_owned(),
        problem: error.to_string(),
    };
    site.watch().map_err(failed)?;
    let url = server.url();
    if args.json {
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "url": url,
            "files": site.len(),
        }))?;
    } else {
        let files = count(site.len(), "file");
        let about = dim(format!("{files}; Ctrl-C ends"));
        report::print(&format!(
            "{} {about}\n{url}\n",
            bold(report::plain_text(&title))
        ))?;
    }
    if !args.no_open {
        browser::open(&url, || {
            report::print_aside("hint: no browser could be opened; open the address yourself\n");
        });
    }
    server.run(&Arc::new(site)).map_err(failed)?;
    Ok(Outcome::Fine)
}

fn port_error(port: Option<u16>, error: &io::Error) -> CliError {
    let advice = match (port, error.kind()) {
        (Some(_), io::ErrorKind::AddrInUse) => "; use another, or omit --port for any free one",
        (Some(_), io::ErrorKind::PermissionDenied) => "; use one from 1024",
        _ => "",
    };
    CliError::Unusable {
        path: port.map_or("127.0.0.1".to_owned(), |port| format!("--port {port}")),
        problem: format!("{error}{advice}"),
    }
}
