# Rewrites the source that uniffi generates, so that it can be used from Java:
#
# - A value class makes the names of functions and constructors invisible in Java. Unsigned integers
#   therefore become `Long` and `Int`. An id has the same 64 bits; any other number must be in range.
#   The generator writes the types of public declarations with their package, unlike those that its
#   own helpers use.
# - A record with default values gets constructors without them, and a function for each such field
#   that returns a copy with another value.
# - Listeners can be written as lambdas, and `push` accepts any bytes.
# - Exceptions are unchecked: Java can only catch a checked one where it is declared. A text that
#   cannot be encoded is a `BadArgument` like all other invalid arguments.
#
# In addition, each class loader uses its own copy of the library (`OwnLibrary.kt`), and a method
# acquires a reference to its object only after its arguments are encoded. The generated code leaks
# the reference if an argument is invalid.
#
# The script fails if the generated source does not have the expected form.

BEGIN {
  rule("kotlin\\.ULong", "kotlin.Long")
  rule("kotlin\\.UInt = 100u", "kotlin.Int = 100")
  rule("kotlin\\.U(Int|Short)", "kotlin.Int")
  rule("^public interface (Load|Change)Listener", "fun &")
  rule("kotlin\\.Exception", "kotlin.RuntimeException", "exception")
  rule("Native\\.register\\(", "registerOwn(", "library")
  rule(", findLibraryName\\(componentName = \"rollbook\"\\)", "", "library")
  rule("block\\(this\\.uniffiCloneHandle\\(\\)\\)", "block(handle)")
  rule("_status\\)$", "_status.also { uniffiCloneHandle() })", "call")

  rule("<ULong,", "<Long,", "converter")
  rule("<U(Int|Short),", "<Int,", "converter")
  rule(": ULong", ": Long", "converter")
  rule(": U(Int|Short)", ": Int", "converter")
  rule("\\.to(ULong|UInt|Long|Int)\\(\\)", "", "converter")
  rule("\\.toUShort\\(\\)", ".toUShort().toInt()", "converter")

  rule("fun `pushDirect`", "fun `push`", "push")
  rule("lower\\(`bytes`\\)", "lower(`bytes`.direct())")

  rule("lower\\(`limit`\\)", "lower(inRange(\"limit\", `limit`))")
  ranges("UShort", "status", ", 65535")
  ranges("UInt", "mostInFlight rotate inFlight", "")
  ranges("ULong", "limit cacheBytes journalBytes pageLimit maxPageLimit", "")
}

# Registers a replacement, for all lines or those of one part of the source.
function rule(pattern, by, part) {
  rules++
  rule_pattern[rules] = pattern
  rule_by[rules] = by
  rule_part[rules] = part
}

# Registers the checks of the numbers that records pass to the library in these fields.
function ranges(type, names, last,  name, i) {
  for (i = split(names, name, " "); i > 0; i--) {
    rule(type "\\.write\\(value\\.`" name[i] "`", \
      type ".write(inRange(\"" name[i] "\", value.`" name[i] "`" last ")")
  }
}

function fail(message) {
  print "java.awk: " message > "/dev/stderr"
  failed = 1
}

# Prints the record that was collected, with the changes for its default values.
function print_record(  i) {
  if (fields > 0 && !sub(/ *\($/, " @JvmOverloads constructor(", line[1])) {
    fail("the record has no constructor: " line[1])
  }
  for (i = 1; i <= lines; i++) print line[i]
  for (i = 1; i <= fields; i++) {
    print_with(field[i], type[i])
    # In Java, an `int` can be passed as a `long`, but not as a `Long`.
    if (type[i] == "kotlin.Long?") print_with(field[i], "kotlin.Long")
  }
  records += fields > 0
  lines = fields = collecting = 0
}

function print_with(name, type) {
  printf "%s/** Returns a copy with another value of [%s]. */\n", indent, name
  printf "%sfun with%s(%s: %s) = copy(%s = %s)\n\n", indent, \
    toupper(substr(name, 1, 1)) substr(name, 2), name, type, name, name
}

/^public object FfiConverterU(Long|Int|Short):/ { part["converter"] = 1 }
/^ *callWithHandle \{/ {
  if (part["call"]) fail("a call does not end before line " NR)
  part["call"] = 1
}
{
  part["exception"] = /^(sealed )?class [A-Za-z]+Exception/
  part["library"] = /findLibraryName\(componentName/
  part["push"] = /fun `pushDirect`\(`bytes`: java\.nio\.ByteBuffer\): Progress/
  is_interface_push = part["push"] && !/override/
  for (i = 1; i <= rules; i++) {
    if (rule_part[i] == "" || part[rule_part[i]]) count[i] += gsub(rule_pattern[i], rule_by[i])
  }
  sub(/^fun public/, "public fun")
  if (/kotlin\.U(Byte|Short|Int|Long)/) fail("an unsigned integer is left: " $0)
  if (/U(Short|Int)\.(write|lower)\((value\.)?`/) fail("the range is not checked: " $0)
}
/_status\.also/ { part["call"] = 0 }
/^}/ { part["converter"] = 0 }

/^            encode\(CharBuffer.wrap\(value\)\)$/ {
  encodings++
  print "            try {"
  print "    " $0
  print "            } catch (_: java.nio.charset.CharacterCodingException) {"
  print "                throw RollbookException.BadArgument(\"a text has an unpaired surrogate: remove it\")"
  print "            }"
  next
}

/^ *data class / {
  if (collecting) fail("the record does not end: " line[1])
  collecting = 1
}
collecting && / = / && match($0, /val `[A-Za-z0-9]+`: /) {
  fields++
  field[fields] = substr($0, RSTART + 5, RLENGTH - 8)
  rest = substr($0, RSTART + RLENGTH)
  type[fields] = substr(rest, 1, index(rest, " = ") - 1)
}
collecting && /^ *companion object/ {
  indent = $0
  sub(/companion.*/, "", indent)
  print_record()
}
collecting {
  line[++lines] = $0
  next
}
{ print }
is_interface_push {
  print "\n    /**"
  print "     * Receives all bytes of an array. The function for a buffer receives the bytes from its position"
  print "     * to its limit, copies them unless the buffer is direct, and does not change the position."
  print "     */"
  print "    fun push(bytes: ByteArray): Progress = push(ByteBuffer.wrap(bytes))"
}

END {
  for (i = 1; i <= rules; i++) {
    if (!count[i]) fail("the generated source does not contain " rule_pattern[i] " " rule_part[i])
  }
  if (!encodings) fail("the encoding of texts was not found")
  if (!records) fail("no record has default values")
  if (collecting) fail("the record does not end: " line[1])
  exit failed
}
