//! Objects by number.

use crate::control::Controller;
use crate::error::{Problem, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;

#[cfg(feature = "two")]
use crate::character::{CharacterInstance, CharacterModel};
#[cfg(feature = "three")]
use crate::motion::{MotionInstance, MotionModel};
#[cfg(feature = "three")]
use sinew::registration::RegistrationCurve;
#[cfg(any(feature = "two", feature = "three"))]
use std::sync::Arc;

/// What a handle refers to.
pub(crate) enum Object {
    #[cfg(feature = "two")]
    Character(Arc<CharacterModel>),
    #[cfg(feature = "two")]
    CharacterInstance(Box<CharacterInstance>),
    #[cfg(feature = "three")]
    Motion(Arc<MotionModel>),
    #[cfg(feature = "three")]
    MotionInstance(Box<MotionInstance>),
    #[cfg(feature = "three")]
    Curve(Arc<RegistrationCurve>),
    Controller(Box<Controller>),
}

#[derive(Default)]
struct Table {
    objects: BTreeMap<u32, Object>,
    last: u32,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

/// Adds an object; returns its handle, which is never 0.
pub(crate) fn add(object: Object) -> Result<u32> {
    TABLE.with_borrow_mut(|table| {
        let handle = table.last.checked_add(1);
        let handle = handle.ok_or_else(|| Problem::argument("too many objects were created"))?;
        table.last = handle;
        table.objects.insert(handle, object);
        Ok(handle)
    })
}

/// Removes an object.
pub(crate) fn remove(handle: u32) -> Option<Object> {
    TABLE.with_borrow_mut(|table| table.objects.remove(&handle))
}

/// Puts an object back under its handle.
pub(crate) fn put_back(handle: u32, object: Object) {
    TABLE.with_borrow_mut(|table| table.objects.insert(handle, object));
}

/// Returns the number of objects.
pub(crate) fn count() -> u32 {
    TABLE.with_borrow(|table| table.objects.len() as u32)
}

/// Calls a function with an object. The function must not use the table.
pub(crate) fn with<T>(handle: u32, use_it: impl FnOnce(&mut Object) -> Result<T>) -> Result<T> {
    TABLE.with_borrow_mut(|table| match table.objects.get_mut(&handle) {
        Some(object) => use_it(object),
        None => Err(Problem::new("closed", "the object was freed")),
    })
}
