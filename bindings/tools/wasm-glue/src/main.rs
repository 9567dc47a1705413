//! Generates the JavaScript for a module `rollbook-wasm` that is already built. `wasm-glue MODULE
//! FOLDER` writes `rollbook.js`, which is a script, `rollbook.d.ts` and `rollbook_bg.wasm` to the
//! folder.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return failed("wasm-glue MODULE FOLDER");
    };
    let mut bindgen = Bindgen::new();
    let written = bindgen
        .input_path(module)
        .out_name("rollbook")
        .no_modules(true);
    let written = written.and_then(|bindgen| {
        bindgen
            .typescript(true)
            .remove_name_section(true)
            .remove_producers_section(true)
            .generate(folder)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("{error:#}")),
    }
}

#[expect(clippy::print_stderr, reason = "a program's message")]
fn failed(message: &str) -> ExitCode {
    eprintln!("wasm-glue: {message}");
    ExitCode::FAILURE
}
