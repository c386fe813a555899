//! The Sinew viewer for skeletal animation as one HTML page, and a function that puts files into it.
//!
//! The page needs no network: script, style sheet and WebAssembly are in it. It gets its files in one of three ways.
//!
//! | opened | files |
//! |---|---|
//! | with a payload, see [`insert_payload`] | those of the payload |
//! | from the server of `sinew view` | `files.json`, relative to the page |
//! | otherwise | those that the user drops |
//!
//! ```
//! use sinew_viewer::{Payload, VIEWER, insert_payload};
//!
//! let payload = Payload {
//!     title: "A walk",
//!     json: r#"{"version":1,"title":"A walk","compare":false,"files":[]}"#,
//!     poster: None,
//! };
//! let page = insert_payload(VIEWER, &payload)?;
//! assert!(page.contains("<title>A walk</title>"));
//! # Ok::<(), sinew_viewer::PageError>(())
//! ```

use std::fmt;

/// The page, without a payload.
pub const VIEWER: &str = include_str!("../dist/viewer.html");

/// The comment in the page, before the end of the head, that a payload replaces.
pub const PAYLOAD_MARKER: &str = "<!-- sinew:payload -->";

/// The `id` of the element that holds the payload.
pub const PAYLOAD_ID: &str = "sinew-files";

/// The element whose content, the samples of the empty page, a page with files does without.
const SAMPLES: &str = "<script type=\"application/json\" id=\"sinew-samples\">";

/// What the page's policy allows beyond a page with files: requests to the server of `sinew view`.
const SERVER_POLICY: &str = "; connect-src 'self'";

/// The files of a page and what is shown without a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload<'a> {
    /// The title of the page, as plain text.
    pub title: &'a str,
    /// The files as a JSON document; its form is in `dist/PAYLOAD.md`.
    pub json: &'a str,
    /// A PNG as base64. Shown if scripts are disabled, as in a mail program.
    pub poster: Option<&'a str>,
}

/// The error of a page that does not take a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageError {
    /// The missing part of the page.
    pub missing: &'static str,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the page has no {}", self.missing)
    }
}

impl std::error::Error for PageError {}

/// Returns a page with files, without the samples of the empty page; its policy allows no requests. Any text in the payload
/// is safe: `<` is escaped, so that nothing ends the element of the payload or begins a comment. The same arguments give
/// the same bytes.
///
/// # Errors
/// If the page has no marker, title or body; [`VIEWER`] has them.
pub fn insert_payload(page: &str, payload: &Payload<'_>) -> Result<String, PageError> {
    let (head, rest) = split(page, PAYLOAD_MARKER, "marker for a payload")?;
    let head = head.replacen(SERVER_POLICY, "", 1);
    let (before_title, after_tag) = split(&head, "<title>", "title")?;
    let (_, after_title) = split(after_tag, "</title>", "end of the title")?;
    let (before_body, body) = split(rest, "<body", "body")?;
    let (attributes, body) = split(body, ">", "end of the body's tag")?;
    let (before_samples, after_samples) = match body.split_once(SAMPLES) {
        Some((before, rest)) => (before, split(rest, "</script>", "end of the samples")?.1),
        None => (body, ""),
    };
    let samples = match body.contains(SAMPLES) {
        true => [SAMPLES, "[]</script>"].concat(),
        false => String::new(),
    };
    let title = escape_html(payload.title);
    // `<` occurs only within strings of a JSON document, where the escape is equivalent.
    let json = payload.json.replace('<', "\\u003c");
    let noscript = payload.poster.map_or(String::new(), |poster| {
        format!(
            "\n<noscript><p>{title}: a still picture; this page plays it if scripts are allowed.</p>\
             <img src=\"data:image/png;base64,{poster}\" alt=\"{title}\"></noscript>"
        )
    });
    Ok([
        before_title,
        "<title>",
        &title,
        "</title>",
        after_title,
        "<script type=\"application/json\" id=\"",
        PAYLOAD_ID,
        "\">",
        &json,
        "</script>",
        before_body,
        "<body",
        attributes,
        ">",
        &noscript,
        before_samples,
        &samples,
        after_samples,
    ]
    .concat())
}

fn split<'a>(
    text: &'a str,
    at: &str,
    missing: &'static str,
) -> Result<(&'a str, &'a str), PageError> {
    text.split_once(at).ok_or(PageError { missing })
}

/// Escapes text for an element or an attribute.
fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<html><head><title>x</title><!-- sinew:payload --></head><body class=\"a\">text</body></html>";

    #[test]
    fn a_page_without_a_marker_a_title_or_a_body_is_refused() {
        let payload = Payload {
            title: "",
            json: "{}",
            poster: None,
        };
        for part in [PAYLOAD_MARKER, "<title>", "</title>", "<body"] {
            let page = PAGE.replace(part, "");
            assert!(insert_payload(&page, &payload).is_err(), "{part}");
        }
    }

    #[test]
    fn text_of_a_payload_ends_no_element_and_begins_no_comment() {
        let evil = "</script><script>alert(1)</script><!--<b> \"'&";
        let payload = Payload {
            title: evil,
            json: r#"{"name":"</script><!-- <script>"}"#,
            poster: Some("iVBO"),
        };
        let page = insert_payload(PAGE, &payload).unwrap();
        assert_eq!(page.matches("<script").count(), 1, "{page}");
        assert_eq!(page.matches("</script").count(), 1, "{page}");
        assert!(!page.contains("<!--"), "{page}");
        assert!(page.contains(r#"{"name":"\u003c/script>\u003c!-- \u003cscript>"}"#));
        assert!(page.contains("<body class=\"a\">\n<noscript>"), "{page}");
        assert!(page.contains("alt=\"&lt;/script&gt;"), "{page}");
    }

    #[test]
    fn the_samples_of_the_empty_page_are_left_out() {
        let page = PAGE.replace(
            "text",
            &format!("a{SAMPLES}[1,2]</script>b<script>c</script>"),
        );
        let payload = Payload {
            title: "",
            json: "{}",
            poster: None,
        };
        let page = insert_payload(&page, &payload).unwrap();
        let rest = "sinew-samples\">[]</script>b<script>c</script></body></html>";
        assert!(page.ends_with(rest), "{page}");
    }

    #[test]
    fn the_viewer_takes_one_payload_before_the_end_of_its_head() {
        assert_eq!(VIEWER.matches(PAYLOAD_MARKER).count(), 1);
        let (head, _) = VIEWER.split_once("</head>").unwrap();
        assert!(head.contains(PAYLOAD_MARKER));
        let payload = Payload {
            title: "A walk",
            json: "{\"version\":1}",
            poster: Some("iVBO"),
        };
        let page = insert_payload(VIEWER, &payload).unwrap();
        assert!(page.contains(
            r#"<script type="application/json" id="sinew-files">{"version":1}</script>"#
        ));
        assert!(page.contains("base64,iVBO"));
    }

    #[test]
    fn only_the_page_of_the_server_may_send_requests() {
        let strict = "\"default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; \
                      img-src data: blob:\"";
        let served = format!("{}{SERVER_POLICY}\"", &strict[..strict.len() - 1]);
        assert_eq!(VIEWER.matches(&served).count(), 1);
        let payload = Payload {
            title: "connect-src",
            json: "{\"name\":\"; connect-src 'self'\"}",
            poster: None,
        };
        let page = insert_payload(VIEWER, &payload).unwrap();
        assert_eq!(page.matches(strict).count(), 1);
        // The text of the payload is untouched.
        assert!(page.contains(payload.json));
    }
}
