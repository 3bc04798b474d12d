//! The folder that a patch's paths are relative to, so that `git apply` finds the files. Reads no file itself.
//!
//! In a repository, git resolves paths from its top, regardless of the current folder, and silently skips files outside
//! of the current folder. Elsewhere it resolves them from the current folder.

use std::path::{Path, PathBuf};

/// The folder that paths of a patch are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatchBase {
    /// The top of the repository that contains all edited folders.
    Repository(PathBuf),
    /// No repository: the current folder if it contains them all, else the edited folder.
    Folder(PathBuf),
}

impl PatchBase {
    /// All folders, including `here`, are absolute and without links. `is_top` returns whether a folder is the top of a
    /// repository.
    pub(crate) fn find(folders: &[PathBuf], here: &Path, is_top: impl Fn(&Path) -> bool) -> Self {
        let top = folders
            .first()
            .and_then(|first| first.ancestors().find(|above| is_top(above)));
        // A nested repository would be another one.
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

    pub(crate) fn folder(&self) -> &Path {
        match self {
            PatchBase::Repository(folder) | PatchBase::Folder(folder) => folder,
        }
    }

    /// Whether git, run in `here`, uses the repository of these paths.
    pub(crate) fn is_repository_of(&self, here: &Path) -> bool {
        matches!(self, PatchBase::Repository(top) if here.starts_with(top))
    }

    /// The command that applies the patch from anywhere.
    pub(crate) fn command(&self) -> String {
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
    fn the_repository_is_preferred_to_the_current_folder() {
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
