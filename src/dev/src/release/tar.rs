//! A tar archive whose bytes depend on nothing but names and contents: files in order, of no time and nobody. (Written here
//! without a crate, so that `cargo dev` is built in seconds.)

/// A file of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// With `/`; at most 100 bytes.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

const BLOCK: usize = 512;

/// The archive; an error names a path that does not fit.
pub(crate) fn archive(mut members: Vec<Member>) -> Result<Vec<u8>, String> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut out = Vec::new();
    for member in &members {
        out.extend(header(member)?);
        out.extend(&member.bytes);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks are the end.
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

fn header(member: &Member) -> Result<[u8; BLOCK], String> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    if member.path.len() > 100 {
        return Err(format!("{} is too long for an archive", member.path));
    }
    put(0, member.path.as_bytes());
    put(
        100,
        if member.is_program {
            b"0000755\0"
        } else {
            b"0000644\0"
        },
    );
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", member.bytes.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn member(path: &str, text: &str) -> Member {
        Member {
            path: path.to_owned(),
            bytes: text.as_bytes().to_vec(),
            is_program: path == "b",
        }
    }

    #[test]
    fn tar_reads_it_and_the_order_of_members_does_not_matter() {
        let archived = archive(vec![
            member("b", "two"),
            member("a/c.txt", &"x".repeat(600)),
        ])
        .unwrap();
        assert_eq!(
            archived,
            archive(vec![
                member("a/c.txt", &"x".repeat(600)),
                member("b", "two")
            ])
            .unwrap()
        );
        assert_eq!(archived.len() % BLOCK, 0);
        let mut tar = Command::new("tar")
            .args(["-tvf", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        tar.stdin.take().unwrap().write_all(&archived).unwrap();
        let listed = String::from_utf8(tar.wait_with_output().unwrap().stdout).unwrap();
        let lines: Vec<&str> = listed.lines().collect();
        assert!(
            lines[0].starts_with("-rw-r--r-- 0/0") && lines[0].ends_with(" a/c.txt"),
            "{listed}"
        );
        assert!(
            lines[1].starts_with("-rwxr-xr-x 0/0") && lines[1].contains(" 3 1970-01-01"),
            "{listed}"
        );
    }

    #[test]
    fn a_long_path_is_an_error() {
        assert!(archive(vec![member(&"x".repeat(101), "")]).is_err());
    }
}
