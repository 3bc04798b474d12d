//! Simulates another process or a signal at an exact moment: while the old content of a file is
//! compared.

use super::texts::TextInMemory;
use super::*;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use tempfile::TempDir;

/// An old content that calls `meanwhile` when it is compared immediately before the rename.
struct Watched<'a> {
    content: Vec<u8>,
    comparisons: Cell<u32>,
    meanwhile: &'a dyn Fn(),
}

impl Text for Watched<'_> {
    fn len(&self) -> u64 {
        self.content.len() as u64
    }

    fn piece(&self, span: Range<u64>) -> Result<Cow<'_, [u8]>, CliError> {
        let is_last = span.end == self.len();
        self.comparisons
            .set(self.comparisons.get() + u32::from(is_last));
        if is_last && self.comparisons.get() == 2 {
            (self.meanwhile)();
        }
        let piece = &self.content[span.start as usize..span.end as usize];
        Ok(Cow::Borrowed(piece))
    }
}

struct Catalog(TempDir);

impl Catalog {
    fn new(files: &[(&str, &str)]) -> Self {
        let temporary = TempDir::new().unwrap();
        fs::create_dir(temporary.path().join("catalog")).unwrap();
        let catalog = Self(temporary);
        files
            .iter()
            .for_each(|(name, text)| fs::write(catalog.place(name), text).unwrap());
        catalog
    }

    fn place(&self, name: &str) -> PathBuf {
        let root = self.0.path().canonicalize().unwrap();
        root.join("catalog").join(name)
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.place(name)).ok()
    }

    fn text<'a>(&self, name: &str, old: Option<&str>, meanwhile: &'a dyn Fn()) -> NewText<'a> {
        let watched = |old: &str| Watched {
            content: old.into(),
            comparisons: Cell::default(),
            meanwhile,
        };
        NewText {
            path: self.place(name),
            display_path: name.to_owned(),
            old: old.map(|old| Box::new(watched(old)) as Box<dyn Text>),
            new: Box::new(TextInMemory(format!("new {name}"))),
        }
    }

    fn write(&self, texts: Vec<NewText<'_>>) -> Result<(), CliError> {
        write(texts, &FolderLocks::wait(&[self.place("")]).unwrap())
    }

    /// Returns the paths beside the catalog, which are leftover staging folders.
    fn leftovers(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| !path.ends_with("catalog")).collect()
    }
}

fn do_nothing() {}

#[test]
fn a_file_that_changes_before_its_turn_rolls_back_earlier_ones() {
    for in_place in [true, false] {
        let catalog = Catalog::new(&[("a", "old a"), ("b", "old b")]);
        let other_process = || {
            if !in_place {
                fs::remove_file(catalog.place("b")).unwrap();
            }
            fs::write(catalog.place("b"), "their b").unwrap();
        };
        let texts = vec![
            catalog.text("a", Some("old a"), &do_nothing),
            catalog.text("b", Some("old b"), &other_process),
            catalog.text("new/folder/c", None, &do_nothing),
        ];
        let error = catalog.write(texts).unwrap_err();
        assert!(error.message().contains("b changed on disk"), "{error:?}");
        assert_eq!(catalog.read("a").unwrap(), "old a");
        assert_eq!(catalog.read("b").unwrap(), "their b");
        assert!(!catalog.place("new").exists());
        assert!(catalog.leftovers().is_empty());
    }
}

#[test]
fn a_change_after_the_comparison_is_noticed() {
    // Longer than a piece: the first bytes change after they were compared.
    let old = "x".repeat(3 << 20);
    let catalog = Catalog::new(&[("a", &old)]);
    let other_process = || {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let mut file = OpenOptions::new()
            .write(true)
            .open(catalog.place("a"))
            .unwrap();
        io::Write::write_all(&mut file, b"theirs").unwrap();
    };
    let texts = vec![catalog.text("a", Some(&old), &other_process)];
    let error = catalog.write(texts).unwrap_err();
    assert!(error.message().contains("a changed on disk"), "{error:?}");
    assert!(catalog.read("a").unwrap().starts_with("theirsx"));
    assert!(catalog.leftovers().is_empty());
}

#[test]
fn a_new_file_that_another_process_creates_is_not_replaced() {
    let catalog = Catalog::new(&[("a", "old a")]);
    let other_process = || {
        fs::create_dir(catalog.place("new")).unwrap();
        fs::write(catalog.place("new/b"), "their b").unwrap();
    };
    let texts = vec![
        catalog.text("a", Some("old a"), &other_process),
        catalog.text("new/b", None, &do_nothing),
    ];
    let error = catalog.write(texts).unwrap_err();
    assert!(
        error.message().contains("new/b changed on disk"),
        "{error:?}"
    );
    assert_eq!(catalog.read("a").unwrap(), "old a");
    assert_eq!(catalog.read("new/b").unwrap(), "their b");
    assert!(catalog.leftovers().is_empty());
}

#[test]
fn unrestorable_files_are_listed_and_their_old_content_is_kept() {
    let catalog = Catalog::new(&[("a", "old a"), ("b", "old b"), ("c", "old c")]);
    let other_process = || {
        fs::write(catalog.place("a"), "their a").unwrap();
        fs::write(catalog.place("c"), "their c").unwrap();
    };
    let texts = vec![
        catalog.text("a", Some("old a"), &do_nothing),
        catalog.text("b", Some("old b"), &do_nothing),
        catalog.text("c", Some("old c"), &other_process),
    ];
    let message = catalog.write(texts).unwrap_err().message();
    let listed = format!(
        "could not be restored: {}: another process changed it meanwhile",
        catalog.place("a").display()
    );
    assert!(message.contains(&listed), "{message}");
    assert!(
        !message.contains(&catalog.place("b").display().to_string()),
        "{message}"
    );
    let now = ["a", "b", "c"].map(|name| catalog.read(name).unwrap());
    assert_eq!(now, ["their a", "old b", "their c"]);
    let [left] = &catalog.leftovers()[..] else {
        panic!("{:?}", catalog.leftovers())
    };
    assert!(message.contains(&left.display().to_string()), "{message}");
    assert_eq!(fs::read_to_string(left.join("0.old")).unwrap(), "old a");
    let list = fs::read_to_string(left.join("files.txt")).unwrap();
    assert!(
        list.contains(&format!("0 {:?}\n", catalog.place("a"))),
        "{list}"
    );
}

/// Saves twice, as a server does: the handlers of the first save must not end the process during
/// the second.
#[cfg(unix)]
#[test]
fn a_signal_restores_all_files() {
    use signal_hook::consts::SIGTERM;
    let catalog = Catalog::new(&[("a", "old a"), ("b", "old b")]);
    for _ in 0..2 {
        let signal = || signal_hook::low_level::raise(SIGTERM).unwrap();
        let texts = vec![
            catalog.text("a", Some("old a"), &do_nothing),
            catalog.text("b", Some("old b"), &signal),
        ];
        let error = catalog.write(texts).unwrap_err();
        assert!(matches!(error, CliError::Interrupted(SIGTERM)), "{error:?}");
        let now = ["a", "b"].map(|name| catalog.read(name).unwrap());
        assert_eq!(now, ["old a", "old b"]);
        assert!(catalog.leftovers().is_empty());
    }
}
