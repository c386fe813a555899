//! Whether an SVG document is one.

/// Elements of a document that opens and closes all of them, or what is wrong with it.
pub(crate) fn well_formed(svg: &str) -> Result<usize, String> {
    let mut open = Vec::new();
    let mut count = 0;
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').ok_or("a tag without an end")? + start;
        let tag = &rest[start + 1..end];
        if tag.contains('<') || !tag.matches('"').count().is_multiple_of(2) {
            return Err(format!("bad tag {tag}"));
        }
        if let Some(name) = tag.strip_prefix('/') {
            (open.pop() == Some(name))
                .then_some(())
                .ok_or(format!("stray {tag}"))?;
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
        count += 1;
        rest = &rest[end + 1..];
    }
    open.is_empty()
        .then_some(count)
        .ok_or(format!("open {open:?}"))
}
