# Rewrites the source that uniffi generates, so that it can be used from Java:
#
# - A value class makes the names of functions and constructors invisible in Java. Numbers without a
#   sign therefore become `Long` and `Int` with the same bits. The generator writes the types of
#   public declarations with their package, unlike those that its own helpers use.
# - A record with default values gets constructors without them, and a function for each such field
#   that returns a copy with another value.
# - Listeners can be written as lambdas.
# - Exceptions are unchecked: Java can only catch a checked one where it is declared. A text that
#   cannot be encoded is a `BadArgument` like all other invalid arguments.
#
# In addition, each class loader uses its own copy of the library (`OwnLibrary.kt`).
#
# The script fails if one of the patterns does not occur.

BEGIN { count["records"] = count["encode"] = 0 }

function replace(pattern, by) {
  count[pattern] += gsub(pattern, by)
}

# Prints the record that was collected, with the changes for its default values.
function print_record(  i) {
  if (fields > 0) {
    count["records"] += sub(/ *\($/, " @JvmOverloads constructor(", line[1])
  }
  for (i = 1; i <= lines; i++) print line[i]
  for (i = 1; i <= fields; i++) {
    printf "%s/** Returns a copy with another value of [%s]. */\n", indent, field[i]
    printf "%sfun with%s(%s: %s) = copy(%s = %s)\n\n", indent, \
      toupper(substr(field[i], 1, 1)) substr(field[i], 2), field[i], type[i], field[i], field[i]
  }
  lines = fields = 0
}

{
  replace("kotlin\\.ULong", "kotlin.Long")
  replace("kotlin\\.UInt = 100u", "kotlin.Int = 100")
  replace("kotlin\\.U(Int|Short)", "kotlin.Int")
  replace("^public interface (Load|Change)Listener", "fun &")
  sub(/^fun public/, "public fun")
}
/findLibraryName\(componentName/ {
  replace("Native\\.register\\(", "registerOwn(")
  replace(", findLibraryName\\(componentName = \"rollbook\"\\)", "")
}
/^(sealed )?class [A-Za-z]+Exception/ { replace("kotlin\\.Exception", "kotlin.RuntimeException") }

# The converters of numbers without a sign.
/^public object FfiConverterU(Long|Int|Short):/ { converter = 1 }
converter {
  replace("<ULong,", "<Long,")
  replace("<U(Int|Short),", "<Int,")
  gsub(/: ULong/, ": Long")
  gsub(/: U(Int|Short)/, ": Int")
  replace("\\.to(ULong|UInt|Long|Int)\\(\\)", "")
  replace("\\.toUShort\\(\\)", "&.toInt()")
}
/^}/ { converter = 0 }

/^            encode\(CharBuffer.wrap\(value\)\)$/ {
  count["encode"]++
  print "            try {"
  print "    " $0
  print "            } catch (_: java.nio.charset.CharacterCodingException) {"
  print "                throw RollbookException.BadArgument(\"a text has half of a surrogate pair: remove it\")"
  print "            }"
  next
}

/^ *data class / { collecting = 1 }
collecting && / = / && match($0, /val `[A-Za-z0-9]+`: /) {
  name = substr($0, RSTART + 5, RLENGTH - 8)
  rest = substr($0, RSTART + RLENGTH)
  fields++
  field[fields] = name
  type[fields] = substr(rest, 1, index(rest, " = ") - 1)
}
collecting && /^ *companion object/ {
  indent = $0
  sub(/companion.*/, "", indent)
  print_record()
  collecting = 0
}
collecting {
  line[++lines] = $0
  next
}
{ print }

END {
  for (pattern in count) {
    if (count[pattern] > 0) continue
    print "java.awk: the generated source does not contain " pattern > "/dev/stderr"
    failed = 1
  }
  exit failed
}
