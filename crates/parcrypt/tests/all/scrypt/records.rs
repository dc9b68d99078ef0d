//! Records: PHC strings, the objects of `--json`, and lines of a batch that verify against them.

use scrypt::password_hash::phc::PasswordHash;
use scrypt::password_hash::{CustomizedPasswordHasher, PasswordVerifier};
use serde_json::json;

use crate::process::{WorkDir, lines};

/// The test vector of Ethereum's key files, version 3, with the password `testpassword`.
const KEYSTORE: &str = r#"{"crypto":{"cipher":"aes-128-ctr",
    "cipherparams":{"iv":"83dbcc02d8ccb40e466191a123791e0e"},
    "ciphertext":"d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c","kdf":"scrypt",
    "kdfparams":{"dklen":32,"n":262144,"r":1,"p":8,
    "salt":"ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
    "mac":"2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"},
    "id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3}"#;

#[test]
fn an_n_beyond_the_rfc_is_an_option() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"testpassword");
    let salt = "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19";
    let words = format!("--password-file password --salt-hex {salt} --log-n 18 -r 1 -p 8 --length 32");
    dir.refuses(&words, "RFC 7914 requires N below 2^(16 r); --allow-n-beyond-rfc lifts");
    let (key, _) = dir.ends(&format!("{words} --allow-n-beyond-rfc"), 0);
    assert_eq!(key, "fac192ceb5fd772906bea3e118a69e8bbb5cc24229e20d8766fd298291bba6bd\n");
}

#[test]
fn a_key_file_of_ethereum_is_checked() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"testpassword\n");
    dir.write("wrong", b"Testpassword");
    dir.write("wallet", KEYSTORE.as_bytes());
    dir.refuses(
        "--password-file password --keystore wallet",
        "error: --keystore wallet: N = 262144 with r = 1: RFC 7914 requires N below 2^(16 r); --allow-n-beyond-rfc ",
    );
    let words = "--keystore wallet --allow-n-beyond-rfc --memory 64MiB";
    assert_eq!(dir.ends(&format!("{words} --password-file password"), 0).0, "the password matches\n");
    assert_eq!(dir.ends(&format!("{words} --password-file wrong"), 1).0, "the password DOES NOT MATCH\n");
    // Nothing is written, and a lane must fit the memory.
    assert_eq!(dir.names(""), ["password", "wallet", "wrong"]);
    let words = words.replace("64MiB", "31MiB");
    dir.refuses(
        &format!("{words} --password-file password"),
        "error: --keystore: N = 2^18, r = 1 needs 32 MiB of memory for one lane",
    );
    dir.write("wallet", KEYSTORE.replace("\"scrypt\"", "\"pbkdf2\"").as_bytes());
    dir.refuses(
        "--password-file password --keystore wallet",
        "PBKDF2 (`kdf` is pbkdf2), which is not supported: only scrypt is",
    );
    dir.refuses("--password-file password --keystore missing", "error: --keystore missing: No such file");
}

/// From passlib's documentation, with the password `password`.
const PASSLIB: &str =
    "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";

/// Returns the PHC string of RustCrypto's scrypt.
fn rust_crypto(password: &[u8], salt: &[u8], log_n: u8, r: u32, p: u32, length: usize) -> String {
    let params = scrypt::Params::new_with_output_len(log_n, r, p, length).unwrap();
    let hash = scrypt::Scrypt::new().hash_password_customized(password, salt, None, None, params);
    hash.unwrap().to_string()
}

#[test]
fn phc_strings_match_others() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    dir.write("wrong", b"Password");
    dir.write("passlib", PASSLIB.as_bytes());
    assert_eq!(dir.ends("--password-file password --verify passlib", 0).0, "the key matches\n");
    assert_eq!(dir.ends("--password-file wrong --verify passlib", 1).0, "the key DOES NOT MATCH\n");
    for (log_n, r, p, length) in [(4, 8, 1, 32), (10, 1, 3, 10), (1, 5, 2, 64)] {
        let theirs = rust_crypto(b"password", b"a salt of bytes", log_n, r, p, length);
        dir.write("theirs", format!("{theirs}\n").as_bytes());
        let cost = format!("--log-n {log_n} -r {r} -p {p} --length {length}");
        let words = format!("--password-file password --salt-file salt {cost} --output phc");
        dir.write("salt", b"a salt of bytes");
        let (ours, _) = dir.ends(&words, 0);
        assert_eq!(ours, format!("{theirs}\n"));
        dir.ends("--password-file password --verify theirs", 0);
        dir.ends("--password-file password --verify theirs --output phc", 0);
        dir.ends("--password-file wrong --verify theirs", 1);
        let read = PasswordHash::new(ours.trim_end()).unwrap();
        assert!(scrypt::Scrypt::new().verify_password(b"password", &read).is_ok());
    }
    // 32 bytes by default, as others have.
    let (ours, stderr) = dir.ends("--password-file password --salt-random 16 --log-n 4 --output phc", 0);
    let hash = PasswordHash::new(ours.trim_end()).unwrap();
    assert_eq!((hash.hash.map(|hash| hash.len()), hash.salt.map(|salt| salt.len())), (Some(32), Some(16)));
    assert!(stderr.starts_with("new salt: --salt-hex "), "{stderr}");
    // Without a salt there is a random one of 16 bytes, which only the string has.
    let words = "--password-file password --log-n 4 --output phc";
    let [(one, stderr), (two, _)] = [(); 2].map(|()| dir.ends(words, 0));
    let salt = PasswordHash::new(one.trim_end()).unwrap().salt;
    assert_eq!((salt.map(|salt| salt.len()), &stderr[..]), (Some(16), ""));
    assert_ne!(one, two);
    dir.write("random", one.as_bytes());
    dir.ends("--password-file password --verify random", 0);
    dir.write("batch", b"{\"password\":\"p\"}\n{\"password\":\"p\"}\n");
    let all = lines(&dir.ends("--batch batch --log-n 4 --output phc", 0).0);
    assert_ne!(all[0]["phc"], all[1]["phc"]);
}

#[test]
fn objects_of_json_are_read_again() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    dir.write("wrong", b"Password");
    for form in ["hex", "base64"] {
        for length in [1, 2, 4, 33] {
            let words =
                format!("--salt s --log-n 5 -r 2 -p 3 --length {length} --json --output {form} --force");
            dir.ends(&format!("--password-file password {words} -o record"), 0);
            assert_eq!(dir.ends("--password-file password --verify record", 0).0, "the key matches\n");
        }
        dir.ends("--password-file wrong --verify record", 1);
    }
}

#[test]
fn errors_of_records_take_no_memory() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    let salt_and_hash = PASSLIB.split_once("p=1").unwrap().1;
    let wrong = |params: &str| {
        dir.write("record", format!("$scrypt${params}{salt_and_hash}").as_bytes());
        // The address space would not do for the memory.
        let script =
            "ulimit -v 400000; parcrypt scrypt --password-file password --verify record --memory 64MiB";
        let output = dir.shell_command(script).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{params}");
        String::from_utf8(output.stderr).unwrap()
    };
    let memory = wrong("ln=40,r=8,p=1");
    assert!(
        memory.starts_with("error: --verify: N = 2^40, r = 8 needs 1 PiB of memory for one lane"),
        "{memory}"
    );
    let memory = wrong("ln=20,r=1048576,p=1");
    assert!(memory.starts_with("error: --verify: N = 2^20, r = 1048576 needs 128 TiB"), "{memory}");
    for (params, why) in [
        ("ln=63,r=8,p=1", "more than this machine can address"),
        ("ln=64,r=8,p=1", "N must be a power of two from 2 on"),
        ("ln=4294967295,r=8,p=1", "N must be a power of two from 2 on"),
        ("ln=17,r=4294967295,p=1", "their product below 2^30"),
        ("ln=17,r=8,p=4294967295", "their product below 2^30"),
        ("ln=17,r=0,p=1", "both must be at least 1"),
        ("ln=17,r=8", "its parameters are not ln, r and p, once each"),
        ("ln=17,r=8,p=4294967296", "its parameter p is not a decimal number of 32 bits"),
    ] {
        let error = wrong(params);
        assert!(error.starts_with("error: --verify record: ") && error.contains(why), "{params}: {error}");
    }
    dir.write("record", PASSLIB.as_bytes());
    for more in ["--salt s", "--log-n 16", "-r 8", "--length 32"] {
        dir.refuses(
            &format!("--password-file password --verify record {more}"),
            "error: --verify: the file also has the salt and the parameters",
        );
    }
    dir.write("key", b"00ff");
    dir.refuses(
        "--password-file password --verify key",
        "error: --verify: the file only has a key: give its --salt",
    );
    for (words, why) in [
        ("--salt short", "error: a PHC string has a salt of 8 to 48 bytes, but this has 5\n"),
        ("--salt-random 16 --length 9", "error: a PHC string has a key of 10 to 64 bytes, but this has 9"),
        (
            "--salt-random 16 --json",
            "error: --json prints the key in hex or base64: it cannot be used with --output phc",
        ),
    ] {
        dir.refuses(&format!("--password-file password --output phc --log-n 4 {words}"), why);
    }
}

#[test]
fn lines_of_a_batch_verify() {
    let dir = WorkDir::scrypt();
    let phc = rust_crypto(b"one", b"eight or more", 4, 8, 1, 32);
    dir.write("password", b"two");
    let record = dir.ends("--password-file password --salt s --log-n 5 -r 1 --json", 0).0;
    let batch = format!(
        "{{\"id\":1,\"password\":\"one\",\"verify\":\"{phc}\"}}\n\
         {{\"id\":2,\"password\":\"two\",\"verify\":{}}}\n\
         {{\"id\":3,\"password\":\"three\",\"salt\":\"s\",\"log-n\":1}}\n",
        record.trim_end()
    );
    dir.write("batch", batch.as_bytes());
    let all = lines(&dir.ends("--batch batch", 0).0);
    assert_eq!(all[..2], [json!({"id": 1, "matches": true}), json!({"id": 2, "matches": true})]);
    assert!(all[2]["key"].is_string());
    // A password that does not match is a negative answer, and an error is an error.
    let other = "{\"id\":4,\"password\":\"One\",\"verify\":\"".to_owned() + &phc + "\"}\n";
    dir.write("batch", (batch.clone() + &other).as_bytes());
    assert_eq!(lines(&dir.ends("--batch batch", 1).0)[3], json!({"id": 4, "matches": false}));
    let huge = other.replace("ln=4", "ln=40").replace('4', "5");
    let huge = huge.replace("ln=50", "ln=40");
    dir.write("batch", (batch + &other + &huge).as_bytes());
    let (stdout, stderr) = dir.ends("--batch batch --memory 64MiB", 2);
    let last = &lines(&stdout)[4];
    assert_eq!((&last["line"], &last["field"]), (&json!(5), &json!("verify")), "{stdout}");
    assert!(stderr.starts_with("error: batch: line 5: `verify`: N = 2^40, r = 8 needs 1 PiB"), "{stderr}");

    // What a batch writes as PHC strings, it verifies.
    dir.write(
        "batch",
        b"{\"id\":1,\"password\":\"p\",\"salt\":\"12345678\"}\n{\"password\":\"p\",\"salt\":\"1\"}\n",
    );
    let (stdout, _) = dir.ends("--batch batch --log-n 4 --output phc", 2);
    let all = lines(&stdout);
    assert_eq!((&all[1]["line"], &all[1]["field"]), (&json!(2), &json!("salt")));
    let again = json!({"password": "p", "verify": all[0]["phc"]}).to_string();
    dir.write("batch", again.as_bytes());
    assert_eq!(lines(&dir.ends("--batch batch", 0).0), [json!({"matches": true})]);
}
