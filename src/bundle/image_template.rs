//! Image templates: the image of a bundle by its package, name and version.

/// Help for a refused image template.
pub(super) const HELP: &str = "such as `example.com/{{.Package}}/bundle:v{{.Version}}`";

/// Fills in the fields of an image template.
pub(super) fn fill(
    template: &str,
    package: &str,
    name: &str,
    version: &str,
) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, action)) = rest.split_once("{{") {
        let Some((action, after)) = action.split_once("}}") else {
            return Err("the image template has a `{{` without a `}}`".to_owned());
        };
        let (action, trims_before) = match action.strip_prefix('-') {
            Some(action) if action.starts_with(char::is_whitespace) => (action, true),
            _ => (action, false),
        };
        let (action, trims_after) = match action.strip_suffix('-') {
            Some(action) if action.ends_with(char::is_whitespace) => (action, true),
            _ => (action, false),
        };
        out.push_str(if trims_before {
            before.trim_end()
        } else {
            before
        });
        match action.trim() {
            ".Package" => out.push_str(package),
            ".Name" => out.push_str(name),
            ".Version" => out.push_str(version),
            comment if comment.starts_with("/*") && comment.ends_with("*/") => {}
            other => {
                return Err(format!(
                    "the image template uses `{other}`, but only .Package, .Name and .Version are supported"
                ));
            }
        }
        rest = if trims_after {
            after.trim_start()
        } else {
            after
        };
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn fields_are_filled_in() {
        let fill_in = |template| fill(template, "yard", "yard.v1.0.0", "1.0.0");
        assert_eq!(
            fill_in("example.com/{{.Package}}:v{{ .Version }}"),
            Ok("example.com/yard:v1.0.0".to_owned())
        );
        assert_eq!(
            fill_in("a {{- .Name -}} b{{/* why */}}"),
            Ok("ayard.v1.0.0b".to_owned())
        );
        assert_eq!(fill_in("plain"), Ok("plain".to_owned()));
        assert!(fill_in("{{.Other}}").is_err());
        assert!(fill_in("{{.Name").is_err());
    }
}
