//! Validates generated manifests against the published CustomResourceDefinitions in
//! `tests/data/crds`.

use super::*;
use boon::{Compiler, Schemas};
use catalog::testing::package;
use protocol::views::Approval;
use serde_json::{Value, json};
use upgrade::Policy;
use upgrade::resolve::cel;

const CRDS: [&str; 5] = [
    include_str!("../../../tests/data/crds/catalogsource.json"),
    include_str!("../../../tests/data/crds/clustercatalog.json"),
    include_str!("../../../tests/data/crds/clusterextension.json"),
    include_str!("../../../tests/data/crds/operatorgroup.json"),
    include_str!("../../../tests/data/crds/subscription.json"),
];

/// A ClusterExtension definition from before OLM ignored its service account.
const CLUSTER_EXTENSION_V1_10: &str =
    include_str!("../../../tests/data/crds/operator-controller-v1.10.0/clusterextension.json");
/// A ClusterExtension with its experimental fields.
const EXPERIMENTAL: &str =
    include_str!("../../../tests/data/crds/experimental/clusterextension.json");

/// The definition of a resource.
struct Crd {
    value: Value,
    schemas: Schemas,
    index: boon::SchemaIndex,
}

impl Crd {
    fn from_object(object: &Value) -> Option<Self> {
        let crds = CRDS
            .iter()
            .map(|text| serde_json::from_str::<Value>(text).unwrap());
        let value = crds.into_iter().find(|crd| crd["kind"] == object["kind"])?;
        Some(Self::new(value, object))
    }

    fn new(value: Value, object: &Value) -> Self {
        let version = format!(
            "{}/{}",
            value["group"].as_str().unwrap(),
            value["version"].as_str().unwrap()
        );
        assert_eq!(object["apiVersion"], version.as_str(), "{object:#}");
        assert_eq!(
            object["metadata"].get("namespace").is_some(),
            value["scope"] == "Namespaced",
            "{object:#}"
        );
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler
            .add_resource("crd.json", value["schema"].clone())
            .unwrap();
        let index = compiler.compile("crd.json", &mut schemas).unwrap();
        Self {
            value,
            schemas,
            index,
        }
    }

    /// Returns the violations by the object, and the number of evaluated rules.
    fn problems(&self, object: &Value) -> (Vec<String>, usize) {
        let (problems, evaluated, _) = self.problems_of_update(object, &Value::Null);
        (problems, evaluated)
    }

    /// Like `problems`, for an update of `old`; also returns the number of rules that our engine
    /// cannot evaluate.
    fn problems_of_update(&self, object: &Value, old: &Value) -> (Vec<String>, usize, usize) {
        let mut problems: Vec<String> = self
            .schemas
            .validate(object, self.index)
            .err()
            .map(|error| format!("{error:#}"))
            .into_iter()
            .collect();
        let (mut evaluated, mut skipped) = (0, 0);
        rules(
            &self.value["schema"],
            object,
            old,
            &mut |rule, value, old| {
                let rule_text = rule["rule"].as_str().unwrap();
                let holds = match rule_text {
                    // A rule about a change holds without an old value.
                    "self == oldSelf" => Some(old.is_null() || value == old),
                    _ => cel::evaluate_self(&without_find(rule_text, value), value),
                };
                match holds {
                    Some(true) => evaluated += 1,
                    Some(false) => problems.push(format!("{} ({value})", rule["message"])),
                    None => skipped += 1,
                }
            },
        );
        (problems, evaluated, skipped)
    }
}

/// Replaces Kubernetes' `find` and `substring(1)`, which OLM's expressions lack, by their results
/// for `value`.
fn without_find(rule: &str, value: &Value) -> String {
    let calls =
        regex_lite::Regex::new(r"self((?:\.\w+)*?)\.find\('([^']*)'\)(\.substring\(1\))?").unwrap();
    calls
        .replace_all(rule, |call: &regex_lite::Captures<'_>| {
            let field = value.pointer(&call[1].replace('.', "/"));
            let field = field.and_then(Value::as_str).unwrap_or_default();
            let pattern = regex_lite::Regex::new(&call[2].replace("\\\\", "\\")).unwrap();
            let found = pattern.find(field);
            let found = found.map_or("", |found| found.as_str());
            let from = usize::from(call.get(3).is_some()).min(found.len());
            format!("{:?}", &found[from..])
        })
        .into_owned()
}

/// Returns each rule of a schema, with the value that it applies to.
fn rules(
    schema: &Value,
    value: &Value,
    old: &Value,
    each: &mut impl FnMut(&Value, &Value, &Value),
) {
    for rule in schema["x-kubernetes-validations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        each(rule, value, old);
    }
    for (key, below) in value.as_object().into_iter().flatten() {
        rules(&schema["properties"][key], below, &old[key], each);
    }
    for item in value.as_array().into_iter().flatten() {
        rules(&schema["items"], item, &Value::Null, each);
    }
}

/// Generates manifests for many combinations of settings.
fn generate_manifests() -> Vec<Manifests> {
    let package =
        package("stable-v1.x: p.v2@2.0.0 r:p.v1; p.v1@1.0.0\nfast: p.v3@3.0.0; p.v2@2.0.0");
    let digest = format!(
        "localhost:5001/catalog@sha256:{}",
        "0123456789abcdef".repeat(4)
    );
    let added_catalog = |image: &str| CatalogOnCluster::Added {
        image: image.into(),
        name: None,
    };
    let catalogs = [
        added_catalog("quay.io/me/some_catalog:v4.19"),
        added_catalog(&digest),
        CatalogOnCluster::Existing {
            name: "operatorhub.io".into(),
        },
    ];
    let (none, one, two) = (
        vec![],
        vec!["fast".to_owned()],
        vec!["fast".to_owned(), "stable-v1.x".to_owned()],
    );
    let targets = [
        vec![],
        vec!["p".to_owned()],
        vec!["a".to_owned()],
        vec!["a".to_owned(), "b".to_owned()],
    ];
    let mut all = Vec::new();
    for catalog in &catalogs {
        let request = InstallRequest {
            package: &package,
            catalog,
            namespace: None,
        };
        for (target_namespaces, (channel, starting_csv)) in targets.iter().zip([
            (None, None),
            (Some("fast"), None),
            (None, Some("p.v1")),
            (None, None),
        ]) {
            let approval = if starting_csv.is_some() {
                Approval::Manual
            } else {
                Approval::Automatic
            };
            let is_there = matches!(catalog, CatalogOnCluster::Existing { .. });
            let catalog_namespace = (is_there || starting_csv.is_some()).then_some("olm");
            let classic_request = Classic {
                channel,
                approval,
                starting_csv,
                catalog_namespace,
                target_namespaces,
            };
            all.push(classic(request, classic_request, &|_| None).unwrap());
        }
        for (channels, range) in [
            (&none, None),
            (&one, Some(">=1.0.0, <4.0.0")),
            (&two, Some("~2.0")),
            (&none, Some("1.x")),
        ] {
            for (policy, service_account) in [
                (Policy::CatalogProvided, None),
                (Policy::SelfCertified, None),
                (Policy::SelfCertified, Some("a.b-c")),
            ] {
                let v1_request = V1 {
                    channels,
                    range,
                    policy,
                    service_account,
                };
                all.push(v1(request, v1_request, &|_| None).unwrap());
            }
        }
    }
    all
}

#[test]
fn generated_manifests_are_valid() {
    let (mut objects, mut rules) = (0, 0);
    for manifest in generate_manifests()
        .iter()
        .flat_map(|manifests| &manifests.objects)
    {
        let Some(crd) = Crd::from_object(&manifest.object) else {
            let core = ["Namespace", "ServiceAccount", "ClusterRoleBinding"];
            assert!(
                core.iter().any(|kind| manifest.object["kind"] == *kind),
                "{:#}",
                manifest.object
            );
            continue;
        };
        let (problems, evaluated) = crd.problems(&manifest.object);
        assert_eq!(problems, Vec::<String>::new(), "{:#}", manifest.object);
        (objects, rules) = (objects + 1, rules + evaluated);
    }
    assert!(
        objects > 60 && rules > 150,
        "{objects} objects, {rules} rules"
    );
}

/// With a service account, a ClusterExtension is also valid for older versions; `config` is not.
#[test]
fn a_cluster_extension_is_valid_for_v1_10_0_with_a_service_account() {
    let older: Value = serde_json::from_str(CLUSTER_EXTENSION_V1_10).unwrap();
    let (mut valid, mut refused) = (0, 0);
    for manifest in generate_manifests()
        .iter()
        .flat_map(|manifests| &manifests.objects)
    {
        let object = &manifest.object;
        if object["kind"] != "ClusterExtension" {
            continue;
        }
        assert_eq!(object["spec"].get("config"), None);
        let (problems, _) = Crd::new(older.clone(), object).problems(object);
        let has_account = object["spec"].get("serviceAccount").is_some();
        assert_eq!(problems.is_empty(), has_account, "{problems:?}: {object:#}");
        *if has_account {
            &mut valid
        } else {
            &mut refused
        } += 1;
    }
    assert!(valid > 5 && refused > 5, "{valid} valid, {refused} refused");
}

/// Compares with the API server: objects are refused, or accepted without losing a field. The
/// recorded answers are `crd-admission` of `upstream-2026.jsonl`; a part of them is committed.
#[test]
fn objects_are_admitted_as_by_the_api_server() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("SWITCHYARD_SHARED")
        .map_or_else(|| root.join("../shared"), std::path::PathBuf::from)
        .join("oracle/upstream-2026.jsonl");
    let slice = root.join("tests/data/oracle/upstream-2026.jsonl");
    let text = std::fs::read_to_string(shared).or_else(|_| std::fs::read_to_string(slice));
    let (mut cases, mut unanswered) = (0, Vec::new());
    for line in text.unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if case["table"] != "crd-admission" {
            continue;
        }
        cases += 1;
        let object = &case["object"];
        let crd = match case["crd"].as_str() {
            Some("experimental") if object["kind"] == "ClusterExtension" => {
                Crd::new(serde_json::from_str(EXPERIMENTAL).unwrap(), object)
            }
            _ => Crd::from_object(object).unwrap(),
        };
        let old = &case["old"];
        let (problems, _, not_asked) = crd.problems_of_update(object, old);
        let result = &case["result"];
        let is_taken = result["ok"] == true && result.get("pruned").is_none();
        if problems.is_empty() && !is_taken && not_asked > 0 {
            unanswered.push(case["id"].to_string());
            continue;
        }
        assert_eq!(
            problems.is_empty(),
            is_taken,
            "{}: {problems:?}",
            case["id"]
        );
    }
    println!("crd-admission: {cases} cases, not answered: {unanswered:?}");
    assert!(cases >= 10, "only {cases} cases");
    assert!(unanswered.is_empty(), "{unanswered:?}");
}

/// Checks that schemas and rules refuse invalid objects; otherwise the test above would prove
/// nothing.
#[test]
fn invalid_manifests_are_detected() {
    let written = generate_manifests();
    let valid = |kind: &str| {
        let mut objects = written
            .iter()
            .flat_map(|manifests| &manifests.objects)
            .map(|manifest| &manifest.object);
        objects
            .rfind(|object| object["kind"] == kind)
            .unwrap()
            .clone()
    };
    let broken: [(&str, &str, Value); 11] = [
        ("Subscription", "/spec/name", json!(1)),
        ("Subscription", "/spec", json!({ "name": "p" })),
        (
            "OperatorGroup",
            "/spec",
            json!({ "targetNamespace": ["p"] }),
        ),
        (
            "CatalogSource",
            "/spec",
            json!({ "image": "quay.io/me/catalog:v1" }),
        ),
        ("ClusterCatalog", "/spec/source/image", json!({})),
        ("ClusterCatalog", "/spec/source/type", json!("Git")),
        ("ClusterExtension", "/spec/namespace", json!("a.b")),
        ("ClusterExtension", "/spec/serviceAccount/name", json!("A")),
        ("ClusterExtension", "/spec/serviceAccount", json!({})),
        (
            "ClusterExtension",
            "/spec/source/catalog/version",
            json!("1.0.0 - 2.0.0"),
        ),
        (
            "ClusterExtension",
            "/spec/source/catalog/upgradeConstraintPolicy",
            json!("Any"),
        ),
    ];
    for (kind, place, value) in broken {
        let mut object = valid(kind);
        *object
            .pointer_mut(place)
            .unwrap_or_else(|| panic!("{kind} has no {place}")) = value;
        let (problems, _) = Crd::from_object(&object).unwrap().problems(&object);
        assert!(!problems.is_empty(), "{kind} {place}: {object:#}");
    }
}

/// Our engine can evaluate all rules except those about changes.
#[test]
fn the_unsupported_rules_are_known() {
    let left_out: Vec<String> = CRDS
        .iter()
        .flat_map(|text| all_rules(&serde_json::from_str::<Value>(text).unwrap()["schema"]))
        .filter(|rule| rule.contains("oldSelf"))
        .collect();
    assert_eq!(left_out, ["self == oldSelf"; 3]);
}

fn all_rules(schema: &Value) -> Vec<String> {
    let own = schema["x-kubernetes-validations"]
        .as_array()
        .into_iter()
        .flatten();
    let own = own.filter_map(|rule| rule["rule"].as_str().map(str::to_owned));
    let below = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(|properties| properties.values());
    own.chain(below.chain(schema.get("items")).flat_map(all_rules))
        .collect()
}
