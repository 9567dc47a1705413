//! Work on a whole file: backups (`backup`), erasing data that redb leaves behind (`secure_erase`),
//! and recognising what a file contains (`file_recognition`).

pub(crate) mod backup;
pub(crate) mod file_recognition;
pub(crate) mod secure_erase;
