//! A bundle's requirements and the bundles that meet them, in the inspector.

use super::*;
use protocol::inspection::Inspection;

const CATALOG: &str = "\
schema: olm.package
name: needy
defaultChannel: stable
---
schema: olm.channel
package: needy
name: stable
entries:
- name: needy.v1.0.0
---
schema: olm.bundle
package: needy
name: needy.v1.0.0
image: quay.io/x/needy:v1
properties:
- type: olm.package
  value: {packageName: needy, version: 1.0.0}
- type: olm.package.required
  value: {packageName: vault, versionRange: '>=1.0.0'}
- type: olm.package.required
  value: {packageName: vault, versionRange: '>=9.0.0'}
- type: olm.package.required
  value: {packageName: absent, versionRange: '>=1.0.0'}
- type: olm.gvk.required
  value: {group: vault.io, kind: Vault, version: v1}
- type: olm.gvk.required
  value: {group: vault.io, kind: Vault, version: v2}
- type: olm.constraint
  value: {failureMessage: 'wants a vault', any: {constraints: [{package: {packageName: vault, versionRange: '>=1.1.0'}}]}}
---
schema: olm.package
name: vault
defaultChannel: stable
---
schema: olm.channel
package: vault
name: stable
entries:
- name: vault.v1.9.0
- name: vault.v1.10.0
  replaces: vault.v1.9.0
";

fn vault(version: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: vault\nname: vault.v{version}\nimage: quay.io/x/vault:{version}\nproperties:\n- \
         type: olm.package\n  value: {{packageName: vault, version: {version}}}\n- type: olm.gvk\n  value: {{group: \
         vault.io, kind: Vault, version: v1}}\n"
    )
}

#[test]
fn each_requirement_says_who_meets_it() {
    let text = format!("{CATALOG}{}{}", vault("1.10.0"), vault("1.9.0"));
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let needy = bench.inspect(
        "needy",
        Target::Bundle {
            name: "needy.v1.0.0".into(),
        },
    );
    let requires = needy
        .groups
        .iter()
        .find(|group| group.title == "Requires")
        .expect("it requires something");
    let notes: Vec<&str> = requires
        .facts
        .iter()
        .map(|fact| fact.note.as_str())
        .collect();
    assert_eq!(
        notes,
        [
            "Met under Classic by `vault.v1.10.0` and 1 other version",
            "Unmet: this catalog’s `vault` has no version in the range",
            "Unmet: this catalog has no package `absent`",
            "Met under Classic by `vault.v1.10.0` and 1 other version",
            "Unmet: no bundle of this catalog has it",
            "Met under Classic by `vault.v1.10.0` and 1 other version. Its message: wants a vault",
        ]
    );
}

#[test]
fn a_package_says_what_its_head_requires() {
    let text = format!("{CATALOG}{}{}", vault("1.10.0"), vault("1.9.0"));
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    let group = |inspected: Inspection, title: &str| {
        inspected
            .groups
            .into_iter()
            .find(|group| group.title == title)
            .expect("it says what is required")
            .facts
    };
    let of_bundle = group(
        bench.inspect(
            "needy",
            Target::Bundle {
                name: "needy.v1.0.0".into(),
            },
        ),
        "Requires",
    );
    let of_package = group(
        bench.inspect("needy", Target::Package),
        "The head of stable, 1.0.0, requires",
    );
    assert_eq!(of_package, of_bundle);
    let vault = group(
        bench.inspect("vault", Target::Package),
        "The head of stable, 1.10.0, requires",
    );
    assert_eq!(
        vault,
        [protocol::inspection::Fact::default()],
        "that it requires nothing is an answer too"
    );
}

#[test]
fn what_is_required_says_by_whom() {
    let text = format!("{CATALOG}{}{}", vault("1.10.0"), vault("1.9.0"));
    let mut bench = Bench::new();
    bench
        .open(
            OpenMode::Replace,
            &[("sample/p/catalog.yaml", text.as_bytes())],
        )
        .unwrap();
    for target in [
        Target::Package,
        Target::Bundle {
            name: "vault.v1.9.0".into(),
        },
    ] {
        let inspected = bench.inspect("vault", target);
        let by = inspected
            .groups
            .iter()
            .find(|group| group.title == "Required by")
            .expect("needy requires it");
        let [fact] = by.facts.as_slice() else {
            panic!("{by:?}")
        };
        assert_eq!(
            (fact.label.as_str(), fact.value.as_str(), fact.note.as_str()),
            ("", "needy", "by `needy.v1.0.0`")
        );
        assert!(fact.location.is_some());
    }
    let needy = bench.inspect("needy", Target::Package);
    let by = needy
        .groups
        .iter()
        .find(|group| group.title == "Required by")
        .expect("it says that nobody requires it");
    assert_eq!(by.facts, [protocol::inspection::Fact::default()]);
}
