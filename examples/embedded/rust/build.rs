use std::env;
use std::process::Command;

fn run(program: &str, args: &[&str]) {
    let status = Command::new(program).args(args).status().expect(program);
    assert!(status.success(), "{program} failed");
}

fn main() {
    let folder = env::var("OUT_DIR").unwrap();
    let (object, library) = (format!("{folder}/model.o"), format!("{folder}/libmodel.a"));
    run("cc", &["-O2", "-fPIC", "-c", "../model.c", "-o", &object]);
    run("ar", &["rcs", &library, &object]);
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=model");
    println!("cargo:rustc-link-lib=m");
    println!("cargo:rerun-if-changed=../model.c");
}
