//! Values of fields: how a dataset writes them, how they are stored and how they are compared.

pub(crate) mod decimal;
pub(crate) mod fold;
pub(crate) mod fold_table;
pub(crate) mod message_values;
pub(crate) mod password;
pub(crate) mod plain_record;
pub(crate) mod terms;
pub(crate) mod texts;
pub(crate) mod value;
