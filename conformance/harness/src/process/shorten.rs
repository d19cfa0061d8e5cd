//! Text of limited length.

use std::fmt::{self, Write as _};

/// The maximum number of characters of a call or an answer in a step.
const LONGEST: usize = 200;

/// Returns the beginning of a value's debug form. Formatting stops at the limit, so a long value is never formatted in
/// full.
pub(super) fn shortened(value: &impl fmt::Debug) -> String {
    let mut beginning = Beginning { text: String::new(), left: LONGEST };
    if write!(beginning, "{value:?}").is_err() {
        beginning.text.push('…');
    }
    beginning.text
}

/// The same, for a value of any kind that a check compared.
pub fn shown<T: fmt::Debug + ?Sized>(value: &T) -> String {
    shortened(&value)
}

struct Beginning {
    text: String,
    left: usize,
}

impl fmt::Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        match text.char_indices().nth(self.left) {
            None => {
                self.left -= text.chars().count();
                self.text.push_str(text);
                Ok(())
            }
            Some((end, _)) => {
                self.text.push_str(&text[..end]);
                self.left = 0;
                Err(fmt::Error)
            }
        }
    }
}
