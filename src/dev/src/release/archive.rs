//! Tar archives whose bytes depend on names and contents only: sorted by path, without time or owner.

/// A file of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// With `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

pub(crate) fn tar(mut members: Vec<Member>) -> Result<Vec<u8>, String> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = tar::Builder::new(Vec::new());
    for member in &members {
        let mut header = tar::Header::new_ustar();
        header.set_mode(if member.is_program { 0o755 } else { 0o644 });
        header.set_size(member.bytes.len() as u64);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        archive
            .append_data(&mut header, &member.path, member.bytes.as_slice())
            .map_err(|e| format!("cannot archive {}: {e}", member.path))?;
    }
    archive
        .into_inner()
        .map_err(|e| format!("cannot finish the archive: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter() {
        let member = |path: &str| Member {
            path: path.to_owned(),
            bytes: path.as_bytes().to_vec(),
            is_program: path == "b",
        };
        let archived = tar(vec![member("b"), member("a/c.txt")]).unwrap();
        assert_eq!(archived, tar(vec![member("a/c.txt"), member("b")]).unwrap());
        let mut read = tar::Archive::new(&archived[..]);
        let listed: Vec<(String, u32, u64)> = read
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().unwrap().display().to_string();
                let header = entry.header();
                (path, header.mode().unwrap(), header.mtime().unwrap())
            })
            .collect();
        assert_eq!(
            listed,
            [("a/c.txt".to_owned(), 0o644, 0), ("b".to_owned(), 0o755, 0)]
        );
    }
}
