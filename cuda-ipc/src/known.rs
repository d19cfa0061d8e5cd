//! Values that exist once as long as something holds them, of any type: the models in `tests/models` run this lock.

use crate::lock::lock;
use crate::sync::{Arc, Mutex, Weak};

/// The values that something holds, by what identifies them. At most one of each exists.
#[derive(Debug)]
pub(crate) struct Known<N, T> {
    values: Mutex<Vec<(N, Weak<T>)>>,
}

impl<N: PartialEq, T> Known<N, T> {
    pub(crate) const fn new() -> Self {
        Self { values: Mutex::new(Vec::new()) }
    }

    /// Returns the value of a name. If nothing holds one, makes one.
    ///
    /// No value of another name is held meanwhile. Its last use could end here, and drop what comes back to this lock.
    pub(crate) fn get_or_make<E>(&self, name: N, make: impl FnOnce() -> Result<Arc<T>, E>) -> Result<Arc<T>, E> {
        let mut values = lock(&self.values);
        let mut of_the_name = values.iter().filter(|(known, _)| *known == name);
        if let Some(value) = of_the_name.find_map(|(_, value)| value.upgrade()) {
            return Ok(value);
        }
        let made = make()?;
        values.retain(|(_, value)| value.strong_count() > 0);
        values.push((name, Arc::downgrade(&made)));
        Ok(made)
    }
}
