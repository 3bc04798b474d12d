//! `template-in-catalog`: a template among the files of a catalog.

use super::super::rules::prelude::*;
use crate::model::OtherBlob;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "template-in-catalog",
    Severity::Info,
    Profile::Community,
    "A template lies in the folder of a catalog.",
    "`opm` reads every file of the folder and takes a template for a blob of an unknown schema: it is loaded and kept, and \
     nothing that it says has an effect. Only `opm alpha render-template` reads templates.",
    "Move the template out of the catalog's folder, or list it in `.indexignore`.",
)
.bad(&[Example::Tree(&[
    ("catalog.yaml", Content::Text(etcd!())),
    ("template.yaml", Content::Text("schema: olm.template.basic\nentries: []\n")),
])])
.good(&[Example::Tree(&[
    (".indexignore", Content::Text("template.yaml\n")),
    ("catalog.yaml", Content::Text(etcd!())),
    ("template.yaml", Content::Text("schema: olm.template.basic\nentries: []\n")),
])]);

/// The report about a blob that is a template, which belongs to no package ([`super::super::blobs_without_package`]).
pub(in crate::validate) fn message(blob: &OtherBlob) -> Option<String> {
    let message = || {
        format!(
            "OLM ignores the template of schema `{}`: `opm` loads it as a blob of an unknown schema",
            blob.schema.value
        )
    };
    (blob.template.is_some() && !blob.schema.is_empty()).then(message)
}
