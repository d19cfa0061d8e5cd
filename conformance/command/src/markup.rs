//! Texts of a report in Markdown and in commands to paste. A report can come from a stranger: a text stays a text, in each
//! place of its own function.

use std::borrow::Cow;

use crate::output::is_a_command;

/// Writes a text between other words, or in the cell of a table.
pub(crate) fn inline(text: &str) -> String {
    let text = on_one_line(text);
    let text = text.trim();
    let mut escaped = String::with_capacity(text.len());
    // What begins a heading, a list or a line below a heading.
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (place, c) in text.char_indices() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            // GitHub notifies who is mentioned and links issues, even if the sign is escaped or an entity. An empty comment
            // separates the sign from the name.
            '@' => escaped.push_str("@<!-- -->"),
            '#' if text[place + 1..].starts_with(|c: char| c.is_ascii_digit()) => escaped.push_str("\\#<!-- -->"),
            '\\' | '`' | '*' | '_' | '>' | '[' | ']' | '|' | '~' => escaped.extend(['\\', c]),
            '#' | '-' | '+' | '=' if place == 0 => escaped.extend(['\\', c]),
            '.' | ')' if place == digits && digits > 0 => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Writes a text as code on one line, between more backquotes than it has in a row.
pub(crate) fn code(text: &str) -> String {
    let text = on_one_line(text);
    let fence = "`".repeat(longest_fence(&text) + 1);
    if text.is_empty() || text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Writes a block of code in a language. Its fence is longer than any that the text has.
pub(crate) fn block(language: &str, text: &str) -> String {
    let text = text.replace(|c: char| !matches!(c, '\n' | '\t') && is_a_command(c), "\u{fffd}");
    let fence = "`".repeat((longest_fence(&text) + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// Writes a word of a command for a shell, with quotation marks if it needs them. It has one line, and no character that a
/// terminal would obey when somebody pastes it.
pub(crate) fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_,.:/+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    if !text.contains(is_a_command_of_a_shell) {
        return Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")));
    }
    // A shell that does not know these quotation marks reads a `$` and a text between the usual ones.
    let escaped = |c: char| match c {
        _ if matches!(c, '\'' | '\\') || is_a_command_of_a_shell(c) => {
            c.to_string().bytes().map(|byte| format!("\\{byte:03o}")).collect()
        }
        _ => c.to_string(),
    };
    Cow::Owned(format!("$'{}'", text.chars().map(escaped).collect::<String>()))
}

/// Writes a path of a report as a word. A shell does not expand `~` between quotation marks.
pub(crate) fn path(path: &str) -> Cow<'_, str> {
    path.strip_prefix("~/").map_or_else(|| word(path), |rest| Cow::Owned(format!("~/{}", word(rest))))
}

fn is_a_command_of_a_shell(c: char) -> bool {
    matches!(c, '\n' | '\t') || is_a_command(c)
}

fn on_one_line(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        _ if is_a_command(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// Returns the most backquotes in a row.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{block, code, inline, path, word};

    /// A text between other words has no markup, mentions nobody, and stays on its line.
    #[rstest]
    #[case::plain("cuMemMap, p1: 3 - 4 (x).", "cuMemMap, p1: 3 - 4 (x).")]
    #[case::tags("X</details> <img src=x>", "X&lt;/details\\> &lt;img src=x\\>")]
    #[case::entity("&lt;", "&amp;lt;")]
    #[case::mention("@octocat", "@<!-- -->octocat")]
    #[case::issue("rmm#1029", "rmm\\#<!-- -->1029")]
    #[case::link("[click](http://evil)", "\\[click\\](http://evil)")]
    #[case::heading("a\r\n\n# b", "a   # b")]
    #[case::heading_first("# b", "\\# b")]
    #[case::list("- b", "\\- b")]
    #[case::numbered("12. b", "12\\. b")]
    #[case::direction("a\u{202e}b", "a\u{fffd}b")]
    fn text_has_no_markup(#[case] text: &str, #[case] markdown: &str) {
        assert_eq!(inline(text), markdown);
    }

    /// Code stays code, whatever backquotes and lines it has.
    #[rstest]
    #[case::plain("a", "`a`")]
    #[case::quoted("a``b", "```a``b```")]
    #[case::first("`a", "`` `a ``")]
    #[case::lines("a\r\nb", "`a  b`")]
    #[case::empty("", "`  `")]
    fn code_stays_code(#[case] text: &str, #[case] markdown: &str) {
        assert_eq!(code(text), markdown);
    }

    /// A block ends where it should.
    #[rstest]
    #[case::plain("a\n", "```sh\na\n```\n")]
    #[case::fence("a\n````\nb", "`````sh\na\n````\nb\n`````\n")]
    fn a_block_ends_with_its_fence(#[case] text: &str, #[case] markdown: &str) {
        assert_eq!(block("sh", text), markdown);
    }

    /// A word stays one word of one line in a shell.
    #[rstest]
    #[case::plain("/usr/lib/libcuda.so.1", "/usr/lib/libcuda.so.1")]
    #[case::empty("", "''")]
    #[case::command("x'; touch /tmp/pwned; echo '", r"'x'\''; touch /tmp/pwned; echo '\'''")]
    #[case::lines("a'\n```\n\u{15}b", r"$'a\047\012```\012\025b'")]
    fn a_word_is_one_word(#[case] text: &str, #[case] quoted: &str) {
        assert_eq!(word(text), quoted);
    }

    /// The home folder of a report is that of whoever pastes the command.
    #[rstest]
    #[case::home("~/my driver.so", "~/'my driver.so'")]
    #[case::other("/opt/my driver.so", "'/opt/my driver.so'")]
    fn a_home_folder_is_expanded(#[case] text: &str, #[case] quoted: &str) {
        assert_eq!(path(text), quoted);
    }
}
