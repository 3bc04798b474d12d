//! `bundle-version-semver`: a version that is not a strict semantic version.
//! `opm`: `error parsing bundle "b" version "v": <error>`. `v1.0.0`, `1.0` and `01.0.0` are not strict.

use super::prelude::*;
use crate::version::Version;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "bundle-version-semver",
    "error parsing bundle %q version %q: <error>",
    "The version of a bundle is not a strict semantic version.",
    "OLM compares versions, so each must be `MAJOR.MINOR.PATCH` with an optional prerelease and build, without a `v`.",
    "Write the version in full, such as `1.2.0` or `1.2.0-rc.1`.",
)
.follows(&[SharedCause::PropertiesUnparsed])
.bad(&[Example::Catalog(concat!(package!("etcd", "stable"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1.0.0\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: v1.0.0\n"))])
.good(&[Example::Catalog(catalog!())]);

pub(in crate::validate) fn check(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let [property] = &bundle.package_properties[..] else {
        return;
    };
    if bundle.properties_fault.is_some() {
        return;
    }
    let (name, version) = (&bundle.name.value, &property.version.value);
    if let Err(error) = Version::parse(version) {
        let opm = format!(
            "error parsing bundle {} version {}: {error}",
            quote(name),
            quote(version)
        );
        let message =
            format!("version `{version}` of bundle `{name}` is not a semantic version: {error}");
        out.refuse(
            opm,
            Finding::new(out.here(property.version.place), message)
                .help(help(version))
                .bundle(name),
        );
    }
}

fn help(version: &str) -> String {
    if let Some(fixed) = with_letters_before_zeros(version) {
        return format!(
            "a part of the pre-release that has only digits is a number and must not begin with 0, as a commit hash \
             may: write a letter before it, `{fixed}`, here and wherever the version is named"
        );
    }
    match Version::parse_tolerant(version) {
        Ok(full) => format!("write the version in full and without `v`: `{full}`"),
        Err(_) => DOC.fix.to_owned(),
    }
}

/// The version with a `g` before each numeric prerelease part that starts with 0, like the hash
/// prefix of `git describe`. `None` if that does not make it valid.
fn with_letters_before_zeros(version: &str) -> Option<String> {
    let (rest, build) = match version.split_once('+') {
        Some((rest, build)) => (rest, format!("+{build}")),
        None => (version, String::new()),
    };
    let (numbers, prerelease) = rest.split_once('-')?;
    let parts: Vec<String> = prerelease
        .split('.')
        .map(|part| {
            let is_number = part.chars().all(|c| c.is_ascii_digit());
            let prefix = if is_number && part.len() > 1 && part.starts_with('0') {
                "g"
            } else {
                ""
            };
            format!("{prefix}{part}")
        })
        .collect();
    let written = format!("{numbers}-{}{build}", parts.join("."));
    (written != version && Version::parse(&written).is_ok()).then_some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_writes_a_version_that_is_one() {
        for (version, written) in [
            ("1.2.3462-0123456", "`1.2.3462-g0123456`"),
            ("1.0.0-rc.01+b", "`1.0.0-rc.g01+b`"),
            ("v1.0.0", "`1.0.0`"),
            ("1.0", "`1.0.0`"),
        ] {
            let help = help(version);
            assert!(help.contains(written), "{version}: {help}");
        }
        assert_eq!(help("latest"), DOC.fix);
    }
}
