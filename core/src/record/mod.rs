//! Records: the kinds of records in a dataset, their fields, and their stored form.
//!
//! - `kinds`: one file per kind. `kind`: the catalogue of the kinds. `field`: the declaration of a
//!   field. `values`: the values of fields, and how they are written, stored and compared.
//! - `stored`: the stored form of a record. `residual_fields`: the values that its pre-rendered JSON
//!   does not contain.
//! - `storage`: the collection in which the records of a kind are stored, and their keys in it.
//!   `address`: where a single record is stored. `presence`: whether a school has any records.
//! - `replication`: what a mirror and a follower store about their source.

pub(crate) mod address;
pub(crate) mod field;
pub(crate) mod kind;
pub(crate) mod kinds;
pub(crate) mod presence;
pub(crate) mod replication;
pub(crate) mod residual_fields;
pub(crate) mod storage;
pub(crate) mod stored;
pub(crate) mod values;

pub(crate) use kind::Kind;
pub(crate) use values::value::Value;
