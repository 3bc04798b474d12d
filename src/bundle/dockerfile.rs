//! The Dockerfile of a catalog, as `opm generate dockerfile` writes it.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The image that builds and serves a catalog if none is named.
pub const DEFAULT_IMAGE: &str = "quay.io/operator-framework/opm:latest";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dockerfile<'a> {
    /// Name of the catalog's folder, which is beside the Dockerfile.
    pub folder: &'a str,
    /// The image that fills the cache.
    pub builder: &'a str,
    /// The image that serves the catalog; `scratch` if the image only holds files.
    pub base: &'a str,
    /// Labels by key, in the order of the file.
    pub labels: &'a BTreeMap<String, String>,
}

impl Dockerfile<'_> {
    pub fn text(&self) -> String {
        let Self {
            folder,
            builder,
            base,
            labels,
        } = self;
        let serving = match *base {
            "scratch" => {
                "# OLMv0 CatalogSources that use binary-less images must set:\n\
                 # spec:\n\
                 #   grpcPodConfig:\n\
                 #     extractContent:\n\
                 #       catalogDir: /configs\n\
                 #       cacheDir: /tmp/cache\n"
            }
            _ => {
                "# The base image is expected to contain\n\
                 # /bin/opm (with serve subcommand) and /bin/grpc_health_probe\n\
                 \n\
                 # Configure the entrypoint and command\n\
                 ENTRYPOINT [\"/bin/opm\"]\n\
                 CMD [\"serve\", \"/configs\", \"--cache-dir=/tmp/cache\"]\n"
            }
        };
        let mut text = format!(
            "# The builder image is expected to contain\n\
             # /bin/opm (with serve subcommand)\n\
             FROM {builder} as builder\n\
             \n\
             # Copy FBC root into image at /configs and pre-populate serve cache\n\
             ADD {folder} /configs\n\
             RUN [\"/bin/opm\", \"serve\", \"/configs\", \"--cache-dir=/tmp/cache\", \"--cache-only\"]\n\
             \n\
             FROM {base}\n\
             {serving}\
             \n\
             COPY --from=builder /configs /configs\n\
             COPY --from=builder /tmp/cache /tmp/cache\n\
             \n\
             # Set FBC-specific label for the location of the FBC root directory\n\
             # in the image\n\
             LABEL operators.operatorframework.io.index.configs.v1=/configs\n"
        );
        if !labels.is_empty() {
            text.push_str("\n# Set other custom labels\n");
        }
        for (key, value) in *labels {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "LABEL \"{key}\"=\"{value}\"");
        }
        text
    }
}
