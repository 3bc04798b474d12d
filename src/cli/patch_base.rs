//! From which folder the paths of a patch lead: where `git apply` looks for them. Reads no file by itself.
//!
//! In a repository git takes paths from its top, wherever it is run, and passes over files outside of the present folder
//! without a word. Outside of one it takes them from the present folder.

use std::path::{Path, PathBuf};

/// The folder that paths of a patch are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchBase {
    /// The top of the repository that holds all edited folders.
    Repository(PathBuf),
    /// No repository: the present folder if it holds them all, else the one that is edited.
    Folder(PathBuf),
}

impl PatchBase {
    /// Of edited folders, with the present one, all of them absolute and without links. `is_top` tells whether a folder
    /// is the top of a repository.
    pub(super) fn find(folders: &[PathBuf], here: &Path, is_top: impl Fn(&Path) -> bool) -> Self {
        let top = folders
            .first()
            .and_then(|first| first.ancestors().find(|above| is_top(above)));
        // A repository within the one that was found would be another one.
        let is_its_own = |folder: &&PathBuf| folder.ancestors().find(|above| is_top(above)) != top;
        if let Some(top) = top
            && !folders.iter().any(|folder| is_its_own(&folder))
        {
            return PatchBase::Repository(top.to_path_buf());
        }
        match folders {
            [only] if !only.starts_with(here) => PatchBase::Folder(only.clone()),
            _ => PatchBase::Folder(here.to_path_buf()),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        match self {
            PatchBase::Repository(folder) | PatchBase::Folder(folder) => folder,
        }
    }

    /// Whether git, run in `here`, takes it for the repository that the paths are of.
    pub(super) fn is_repository_of(&self, here: &Path) -> bool {
        matches!(self, PatchBase::Repository(top) if here.starts_with(top))
    }

    /// What applies the patch from anywhere.
    pub(super) fn command(&self) -> String {
        let folder = self.folder().display().to_string();
        let is_plain = folder
            .chars()
            .all(|c| c.is_alphanumeric() || "/._-+@:".contains(c));
        match is_plain {
            true => format!("git -C {folder} apply"),
            false => format!("git -C '{}' apply", folder.replace('\'', r"'\''")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(folders: &[&str], here: &str, tops: &[&str]) -> PatchBase {
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
        PatchBase::find(&folders, Path::new(here), |folder| {
            tops.iter().any(|top| folder == Path::new(top))
        })
    }

    #[test]
    fn the_repository_goes_before_the_present_folder() {
        let top = PatchBase::Repository("/r".into());
        for here in ["/r", "/r/catalogs/v4.19", "/r/docs", "/elsewhere"] {
            assert_eq!(found(&["/r/catalogs/v4.19"], here, &["/r"]), top, "{here}");
        }
        assert_eq!(found(&["/r/a", "/r/b"], "/", &["/r"]), top);
        assert_eq!(found(&["/r"], "/", &["/r"]), top, "the whole repository");
    }

    #[test]
    fn without_one_repository_the_present_folder_counts_where_it_can() {
        assert_eq!(found(&["/c/a"], "/c", &[]), PatchBase::Folder("/c".into()));
        assert_eq!(
            found(&["/c/a"], "/elsewhere", &[]),
            PatchBase::Folder("/c/a".into())
        );
        assert_eq!(
            found(&["/c/a", "/c/b"], "/c", &[]),
            PatchBase::Folder("/c".into())
        );
        assert_eq!(
            found(&["/r/a", "/s/b"], "/", &["/r", "/s"]),
            PatchBase::Folder("/".into())
        );
        assert_eq!(
            found(&["/r/a", "/r/s/b"], "/r", &["/r", "/r/s"]),
            PatchBase::Folder("/r".into()),
            "a submodule"
        );
    }

    #[test]
    fn the_command_can_be_pasted() {
        assert_eq!(
            PatchBase::Repository("/r/a-b".into()).command(),
            "git -C /r/a-b apply"
        );
        assert_eq!(
            PatchBase::Folder("/it's here".into()).command(),
            r"git -C '/it'\''s here' apply"
        );
    }
}
