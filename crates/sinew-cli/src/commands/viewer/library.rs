//! The files that are served: those given, and those found in the given folders, under numbers that never change.

use crate::error::CliError;
use crate::{input, walk};
use sinew_formats::{Format, detect, detect_file};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The largest number of files of a gallery.
pub(super) const MAX_FILES: usize = 10_000;

/// A file that is served.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// As shown: below the given folder, with slashes.
    pub(super) name: String,
    /// The path, or the name of what is in memory.
    pub(super) origin: PathBuf,
    /// The bytes of what is not on disk.
    pub(super) bytes: Option<&'static [u8]>,
    pub(super) format: Option<Format>,
    stamp: Stamp,
    /// Increases with every change of the file or of those that it refers to; usually milliseconds since 1970.
    pub(super) modified: u64,
    /// Whether the file does not exist any more.
    pub(super) is_removed: bool,
    /// Why the file cannot be read, if that is known.
    pub(super) error: Option<String>,
}

impl Item {
    pub(super) fn size(&self) -> u64 {
        self.stamp.size
    }

    fn change(&mut self, modified: u64) {
        // A file may be replaced by an older one.
        self.modified = modified.max(self.modified + 1);
        self.is_removed = false;
        self.error = None;
    }
}

/// Size and time of a file, which change with its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    /// In milliseconds since 1970.
    pub(super) modified: u64,
}

impl Stamp {
    /// Returns the stamp of a regular file.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        // A file system without times only has sizes.
        let since = about.modified().ok();
        let since = since.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            size: about.len(),
            modified: since.map_or(0, |since| since.as_millis() as u64),
        })
    }
}

/// The files and folders that the command line names: what may be served.
#[derive(Debug, Default)]
pub(super) struct ServedPaths {
    /// Files and the names they are shown by.
    files: Vec<(PathBuf, String)>,
    folders: Vec<PathBuf>,
    memory: Vec<Item>,
    /// Canonical folders inside which files that others refer to are served.
    roots: Vec<PathBuf>,
    /// The skeleton of AMC files.
    asf: Option<PathBuf>,
    /// Whether the page is a gallery even for a single file.
    has_folder: bool,
}

impl ServedPaths {
    /// Checks the paths of the command line.
    pub(super) fn new(paths: &[PathBuf], asf: Option<&Path>) -> Result<Self, CliError> {
        let mut served_paths = Self {
            asf: asf.map(Path::to_owned),
            ..Self::default()
        };
        if let Some(asf) = asf {
            Stamp::of(asf).map_err(|error| CliError::unusable(asf, error))?;
        }
        for path in paths {
            served_paths.add(path)?;
        }
        Ok(served_paths)
    }

    fn add(&mut self, path: &Path) -> Result<(), CliError> {
        if path.is_dir() {
            self.has_folder = true;
            self.add_root(path);
            self.folders.push(path.to_owned());
            return Ok(());
        }
        if path.exists() {
            // A pipe would block each reader, and a device may be endless.
            Stamp::of(path).map_err(|error| CliError::unusable(path, error))?;
            self.add_file(path.to_owned());
            return Ok(());
        }
        if input::is_stdin(path) {
            let loaded = input::load(path)?;
            // Kept until the program ends.
            let bytes = Box::leak(loaded.bytes.into_boxed_slice());
            self.add_memory("stdin", &loaded.path, bytes);
            return Ok(());
        }
        if let Some((name, bytes)) = input::sample_file(path)? {
            self.add_memory(&name, path, bytes);
            return Ok(());
        }
        if !walk::is_pattern(&path.to_string_lossy()) {
            return Err(input::no_such_file(path));
        }
        let found = walk::matching(path)
            .map_err(|error| CliError::unusable(path, format!("invalid pattern: {error}")))?;
        if found.files.is_empty() {
            return Err(CliError::unusable(path, "no file matches the pattern"));
        }
        self.has_folder = true;
        for file in found.files.into_iter().take(MAX_FILES) {
            self.add_file(file);
        }
        Ok(())
    }

    fn add_file(&mut self, path: PathBuf) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        self.add_root(folder);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.files.push((path.clone(), name.into_owned()));
    }

    fn add_root(&mut self, folder: &Path) {
        if let Ok(root) = fs::canonicalize(folder)
            && !self.roots.contains(&root)
        {
            self.roots.push(root);
        }
    }

    fn add_memory(&mut self, name: &str, origin: &Path, bytes: &'static [u8]) {
        self.memory.push(Item {
            name: name.to_owned(),
            origin: origin.to_owned(),
            bytes: Some(bytes),
            format: detect(bytes),
            stamp: Stamp {
                size: bytes.len() as u64,
                modified: 0,
            },
            modified: 0,
            is_removed: false,
            error: None,
        });
    }

    /// Returns the skeleton given for AMC files.
    pub(super) fn asf(&self) -> Option<&Path> {
        self.asf.as_deref()
    }

    /// Returns whether the page shows a gallery.
    pub(super) fn is_gallery(&self) -> bool {
        self.has_folder || self.files.len() + self.memory.len() > 1
    }

    /// Returns the names of the paths, for a title.
    pub(super) fn title(&self) -> String {
        let folders = self.folders.iter().map(|folder| {
            let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            let name = whole.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        });
        let files = self.files.iter().map(|(_, name)| name.clone());
        let memory = self.memory.iter().map(|item| item.name.clone());
        let names: Vec<String> = folders.chain(files).chain(memory).collect();
        match names.len() {
            0..=3 => names.join(", "),
            count => format!("{}, {} and {} more", names[0], names[1], count - 2),
        }
    }

    /// Returns the canonical path of a file that may be served because another refers to it: a regular file inside a
    /// given folder, or the given skeleton. A link that leads outside does not count as inside.
    pub(super) fn allowed(&self, path: &Path) -> Option<PathBuf> {
        let whole = fs::canonicalize(path).ok()?;
        let asf = self.asf.as_deref();
        let is_asf = asf.is_some_and(|asf| fs::canonicalize(asf).is_ok_and(|asf| asf == whole));
        let is_inside = self.roots.iter().any(|root| whole.starts_with(root));
        ((is_inside || is_asf) && whole.is_file()).then_some(whole)
    }

    /// Lists all files on disk that exist at the moment, in order.
    pub(super) fn scan(&self) -> Vec<FoundFile> {
        let mut files = self.files.clone();
        for folder in &self.folders {
            // A skeleton is served with its motions.
            let is_wanted = |path: &Path| {
                let format = Format::from_name(path);
                format.is_some_and(|format| format != Format::Asf)
            };
            // What cannot be opened may be readable later.
            let found = walk::below(folder, None, &is_wanted).files.into_iter();
            files.extend(found.map(|path| {
                let inside = path.strip_prefix(folder).unwrap_or(&path);
                let name = inside.to_string_lossy();
                let name = name.replace(std::path::MAIN_SEPARATOR, "/");
                (path, name)
            }));
        }
        let mut known = HashSet::new();
        files.retain(|(path, _)| known.insert(path.clone()));
        files.truncate(MAX_FILES);
        let found = files.into_iter().filter_map(|(path, name)| {
            let stamp = Stamp::of(&path).ok()?;
            Some(FoundFile { path, name, stamp })
        });
        found.collect()
    }
}

/// A file on disk.
#[derive(Debug)]
pub(super) struct FoundFile {
    path: PathBuf,
    name: String,
    stamp: Stamp,
}

/// All files served so far.
#[derive(Debug, Default)]
pub(super) struct Library {
    /// By number. A removed file keeps its number.
    items: Vec<Item>,
    /// The numbers of the files on disk.
    numbers: HashMap<PathBuf, usize>,
    /// Files that others refer to, and the number of the file that refers to them.
    companions: HashMap<(usize, PathBuf), Stamp>,
    /// Incremented by each change.
    version: u64,
}

impl Library {
    pub(super) fn new(served_paths: &ServedPaths) -> Self {
        let mut library = Self {
            items: served_paths.memory.clone(),
            ..Self::default()
        };
        library.update(served_paths.scan(), &[]);
        library
    }

    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Takes over what was found on disk: all files, and the companions that [`Self::companions`] listed.
    pub(super) fn update(&mut self, found: Vec<FoundFile>, companions: &[Companion]) {
        let before = self.version;
        let mut missing: HashSet<usize> = self.numbers.values().copied().collect();
        for FoundFile { path, name, stamp } in found {
            if let Some(&number) = self.numbers.get(&path) {
                missing.remove(&number);
                let item = &mut self.items[number];
                if item.is_removed || item.stamp != stamp {
                    item.change(stamp.modified);
                    item.stamp = stamp;
                    self.version += 1;
                }
            } else if self.items.len() < MAX_FILES {
                let format = Format::from_name(&path).or_else(|| detect_file(&path).ok().flatten());
                self.numbers.insert(path.clone(), self.items.len());
                self.items.push(Item {
                    name,
                    origin: path,
                    bytes: None,
                    format,
                    stamp,
                    modified: stamp.modified,
                    is_removed: false,
                    error: None,
                });
                self.version += 1;
            }
        }
        for number in missing {
            let item = &mut self.items[number];
            self.version += u64::from(!item.is_removed);
            item.is_removed = true;
        }
        for ((number, path), stamp) in companions {
            let known = self.companions.get_mut(&(*number, path.clone()));
            let item = self.items.get_mut(*number);
            if let (Some(known), Some(item)) = (known, item)
                && known != stamp
            {
                *known = *stamp;
                item.change(stamp.modified);
                self.version += 1;
            }
        }
        // One change for all who wait.
        self.version = self.version.min(before + 1);
    }

    /// Remembers a file that another refers to, so that its changes count as changes of the other.
    pub(super) fn watch(&mut self, number: usize, path: &Path) {
        let key = (number, path.to_owned());
        let stamp = || Stamp::of(path).unwrap_or_default();
        self.companions.entry(key).or_insert_with(stamp);
    }

    /// Returns the files that others refer to, to be looked for on disk.
    pub(super) fn companions(&self) -> Vec<(usize, PathBuf)> {
        self.companions.keys().cloned().collect()
    }

    /// Remembers the error of reading a file as it was at that time.
    pub(super) fn set_error(&mut self, number: usize, modified: u64, error: Option<&str>) {
        if let Some(item) = self.items.get_mut(number)
            && item.modified == modified
            && item.error.as_deref() != error
        {
            item.error = error.map(str::to_owned);
            self.version += 1;
        }
    }
}

/// A file that another refers to: the number of the other, the path, and what was found there.
pub(super) type Companion = ((usize, PathBuf), Stamp);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_their_numbers_and_every_change_increments_the_version() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.bvh", "1");
        write("c.bvh", "1");
        write("figure.asf", "1");
        let served_paths = ServedPaths::new(&[folder.path().to_owned()], None).unwrap();
        let mut library = Library::new(&served_paths);
        let names = |library: &Library| -> Vec<String> {
            let items = library.items().iter();
            items
                .map(|item| format!("{}{}", item.name, if item.is_removed { "-" } else { "" }))
                .collect()
        };
        assert_eq!(names(&library), ["a.bvh", "c.bvh"]);
        let mut version = library.version();
        library.update(served_paths.scan(), &[]);
        assert_eq!(library.version(), version);

        write("b.bvh", "1");
        write("a.bvh", "22");
        fs::remove_file(folder.path().join("c.bvh")).unwrap();
        let modified = library.items()[0].modified;
        library.update(served_paths.scan(), &[]);
        assert_eq!(names(&library), ["a.bvh", "c.bvh-", "b.bvh"]);
        assert!(library.items()[0].modified > modified);
        assert_eq!(library.version(), version + 1);
        version = library.version();

        let asf = folder.path().join("figure.asf");
        library.watch(0, &asf);
        write("figure.asf", "22");
        let stamp = Stamp::of(&asf).unwrap();
        let modified = library.items()[0].modified;
        library.update(served_paths.scan(), &[((0, asf), stamp)]);
        assert!(library.items()[0].modified > modified);
        assert_eq!(library.version(), version + 1);
    }

    #[test]
    fn companions_outside_of_the_given_folders_are_not_served() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("in")).unwrap();
        for name in ["in/a.gltf", "in/a.bin", "out.bin", "out.asf"] {
            fs::write(path(name), "x").unwrap();
        }
        let served_paths = ServedPaths::new(&[path("in/a.gltf")], Some(&path("out.asf"))).unwrap();
        assert!(served_paths.allowed(&path("in/a.bin")).is_some());
        assert!(served_paths.allowed(&path("out.asf")).is_some());
        assert!(served_paths.allowed(&path("in/none.bin")).is_none());
        assert!(served_paths.allowed(&path("in")).is_none());
        assert!(served_paths.allowed(&path("out.bin")).is_none());
        assert!(served_paths.allowed(&path("in/../out.bin")).is_none());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("out.bin"), path("in/link.bin")).unwrap();
            assert!(served_paths.allowed(&path("in/link.bin")).is_none());
        }
    }
}
