//! Tests of the abbreviated records in the corpus.

use rollbook_tests::corpus::Records;

fn whole(answer: &str, empty: &str) -> String {
    let fields =
        "# what is it\n\nowner\n  id\n  name\n  pets?\n\npet\n  id\n  first_name\n  chip\n";
    Records::parse(fields).whole(answer, empty)
}

#[test]
fn missing_fields_of_a_record_are_empty() {
    let pet = r#"@pet{"id":"7"}"#;
    assert_eq!(
        whole(pet, "\"\""),
        r#"{"id":"7","first_name":"","chip":""}"#
    );
    assert_eq!(
        whole(pet, "null"),
        r#"{"id":"7","first_name":null,"chip":null}"#
    );
    assert_eq!(
        whole("@pet{}", "null"),
        r#"{"id":null,"first_name":null,"chip":null}"#
    );
}

#[test]
fn fields_have_the_order_of_the_kind_and_values_are_unchanged() {
    let pet = r#"[@pet{"chip":18446744073709551615,"first_name":"\u0041\/ä@pet{"}]"#;
    let expected = r#"[{"id":"","first_name":"\u0041\/ä@pet{","chip":18446744073709551615}]"#;
    assert_eq!(whole(pet, "\"\""), expected);
}

#[test]
fn records_can_contain_records() {
    let owner = r#"{"data":[@owner{"id":1},@owner{"id":2,"pets":[@pet{"id":3},@pet{"id":4}]}]}"#;
    let expected = r#"{"data":[{"id":1,"name":null},{"id":2,"name":null,"pets":[{"id":3,"first_name":null,"chip":null},{"id":4,"first_name":null,"chip":null}]}]}"#;
    assert_eq!(whole(owner, "null"), expected);
}

#[test]
fn other_text_is_unchanged() {
    for answer in [r#"[{"email":"a@pet{"},"@","@pet"]"#, "@", "", "not@pet{}"] {
        assert_eq!(whole(answer, "null"), answer);
    }
}

#[test]
#[should_panic(expected = "records.txt has no pett")]
fn an_unknown_kind() {
    whole("@pett{}", "null");
}

#[test]
#[should_panic(expected = "a pet has no [\"fist_name\"]")]
fn an_unknown_field() {
    whole(r#"@pet{"fist_name":"A"}"#, "null");
}
