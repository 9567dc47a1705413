//! What shows that the engine does what it must, an idea a file. All of it is one
//! program, which runs several tests at a time.

mod backups;
mod corpus;
mod crash_images;
mod cursors;
mod cut_short;
mod damage;
mod damage_search;
mod damaged_numbers;
mod erased;
mod failing_writes;
mod full_disk;
mod fuzz;
mod golden;
mod growth;
mod http;
mod interrupted_loads;
mod kill;
mod logins;
mod machinery;
mod memory;
mod moved;
mod newer;
mod no_store;
mod openers;
mod pages;
mod readers_beside_writer;
mod readme;
mod render_again;
mod repeated_changes;
mod reused_ids;
mod small_file;
mod twin;
mod twin_corpus;
mod walks;
