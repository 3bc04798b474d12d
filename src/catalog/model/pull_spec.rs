//! The grammar of image pull specs (`opm-semantics` 2.4): what `docker pull` accepts, normalized.

/// The registry of pull specs without a domain.
const DOCKER_HUB: &str = "docker.io";
/// Maximum length of domain and path together, in bytes.
const MAX_NAME_LEN: usize = 255;
/// Maximum length of a tag, in bytes.
const MAX_TAG_LEN: usize = 128;

/// Why a text is not a pull spec, in the reference's wording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PullSpecError {
    #[error("invalid reference format")]
    Format,
    #[error("invalid reference format: repository name must be lowercase")]
    Uppercase,
    #[error("repository name must not be more than 255 characters")]
    TooLong,
    #[error("invalid repository name ({0}), cannot specify 64-byte hexadecimal strings")]
    HexName(String),
    #[error("unsupported digest algorithm")]
    UnsupportedAlgorithm,
    #[error("invalid checksum digest length")]
    DigestLength,
    #[error("invalid checksum digest format")]
    DigestFormat,
}

/// Checks a pull spec. Accepts "": another rule requires an image.
pub fn check_pull_spec(spec: &str) -> Result<(), PullSpecError> {
    if spec.is_empty() {
        return Ok(());
    }
    if spec.len() == 64 && spec.bytes().all(is_lower_hex) {
        return Err(PullSpecError::HexName(spec.to_owned()));
    }
    let (domain, rest) = match spec.split_once('/') {
        Some(("index.docker.io", path)) => (DOCKER_HUB, path),
        Some((domain, path)) if is_domain_like(domain) => (domain, path),
        _ => (DOCKER_HUB, spec),
    };
    let rest = if domain == DOCKER_HUB && !rest.contains('/') {
        format!("library/{rest}")
    } else {
        rest.to_owned()
    };
    let name = rest.split_once(':').map_or(rest.as_str(), |(name, _)| name);
    if name.to_lowercase() != name {
        return Err(PullSpecError::Uppercase);
    }
    check_reference(domain, &rest)
}

/// Whether the part before the first slash is a domain: it contains a dot or colon, or is
/// `localhost`. (In the library upper case makes a domain too, but a path with upper case fails
/// either way.)
fn is_domain_like(part: &str) -> bool {
    part.contains(['.', ':']) || part == "localhost"
}

fn check_reference(domain: &str, rest: &str) -> Result<(), PullSpecError> {
    let (name, digest) = match rest.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (rest, None),
    };
    let (path, tag) = match name.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (name, None),
    };
    // A domain that is none may be the first path component.
    let is_well_formed = (is_domain(domain) || is_path_component(domain))
        && path.split('/').all(is_path_component)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest_like);
    if !is_well_formed {
        // The library tries again in lower case to choose its message.
        let lower = rest.to_lowercase();
        let is_valid_in_lower_case = lower != rest
            && check_reference(&domain.to_lowercase(), &lower) != Err(PullSpecError::Format);
        return Err(if is_valid_in_lower_case {
            PullSpecError::Uppercase
        } else {
            PullSpecError::Format
        });
    }
    if domain.len() + 1 + path.len() > MAX_NAME_LEN {
        return Err(PullSpecError::TooLong);
    }
    digest.map_or(Ok(()), check_digest)
}

fn is_domain(domain: &str) -> bool {
    let (host, port) = match domain.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (domain, None),
    };
    host.split('.').all(|label| {
        !label.is_empty()
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    }) && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether the component is runs of `[a-z0-9]` joined by `.`, `_`, `__` or any number of `-`.
fn is_path_component(component: &str) -> bool {
    let bytes = component.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    is_word(first)
        && is_word(last)
        && bytes.split(|&b| is_word(b)).all(|separator| {
            matches!(separator, b"" | b"." | b"_" | b"__") || separator.iter().all(|&b| b == b'-')
        })
}

fn is_word(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

fn is_tag(tag: &str) -> bool {
    tag.len() <= MAX_TAG_LEN
        && tag
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
        && !tag.is_empty()
        && !tag.starts_with(['.', '-'])
}

/// Whether the digest is `algorithm:hex` with any well-formed algorithm and at least 32 hex digits.
fn is_digest_like(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return false;
    };
    algorithm.split(['-', '_', '+', '.']).all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.bytes().all(|b| b.is_ascii_alphanumeric())
    }) && hex.len() >= 32
        && hex.bytes().all(|b| b.is_ascii_hexdigit())
}

fn check_digest(digest: &str) -> Result<(), PullSpecError> {
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return Err(PullSpecError::Format);
    };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err(PullSpecError::UnsupportedAlgorithm),
    };
    if hex.len() != length {
        return Err(PullSpecError::DigestLength);
    }
    if hex.bytes().all(is_lower_hex) {
        Ok(())
    } else {
        Err(PullSpecError::DigestFormat)
    }
}

fn is_lower_hex(b: u8) -> bool {
    matches!(b, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_ones() {
        let sha256 = format!("q.io/foo:v1@sha256:{}", "0a".repeat(32));
        let sha512 = format!("foo@sha512:{}", "0a".repeat(64));
        for spec in [
            "",
            "foo",
            "foo:v1",
            "foo/bar",
            "quay.io/foo:TAG-1_x.y",
            "quay.io/foo:_t",
            "Quay.io/foo",
            "QUAY.IO/foo",
            "localhost/foo",
            "localhost:5000/foo:1",
            "1.2.3.4:80/foo",
            "example.com:80/x",
            "foo__bar",
            "foo--bar",
            "foo---bar",
            "a.b",
            "quay.io:443",
            "ex_ample.com/foo",
            &sha256,
            &sha512,
            &"a".repeat(63),
        ] {
            assert_eq!(check_pull_spec(spec), Ok(()), "{spec}");
        }
    }

    #[test]
    fn bad_ones() {
        use PullSpecError::*;
        let hex = "0123456789abcdef".repeat(4);
        for (spec, error) in [
            ("quay.io/Foo/bar", Uppercase),
            ("foo/Bar", Uppercase),
            ("FOO/bar", Uppercase),
            ("LOCALHOST/foo", Uppercase),
            ("quay.io/foo:", Format),
            ("foo:-t", Format),
            ("foo:v1:v2", Format),
            ("a/b:c/d", Format),
            ("[::1]:5000/foo", Format),
            ("example.com:/foo", Format),
            ("example.com:port/foo", Format),
            ("a:b/c", Format),
            ("foo___bar", Format),
            ("foo..bar", Format),
            ("foo_-bar", Format),
            ("-foo", Format),
            ("foo_", Format),
            ("docker://x", Format),
            ("https://x", Format),
            (" x", Format),
            ("a//b", Format),
            ("/a", Format),
            ("a/", Format),
            ("<image>", Format),
            (&format!("f@sha256:{}", &hex[1..]), DigestLength),
            (&format!("f@sha256:{}", hex.to_uppercase()), DigestFormat),
            (&format!("f@md5:{}", &hex[32..]), UnsupportedAlgorithm),
            (&format!("f@SHA256:{hex}"), Uppercase),
            ("f@sha256:abc", Format),
            (&hex, HexName(hex.clone())),
            (&format!("q.io/{}", "a".repeat(251)), TooLong),
            (&format!("q:{}", "t".repeat(129)), Format),
        ] {
            assert_eq!(check_pull_spec(spec), Err(error), "{spec}");
        }
    }
}
