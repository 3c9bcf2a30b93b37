"""How the generated clients that are not run here say things, by the row of the table."""

from collections.abc import Callable
from dataclasses import dataclass

import tree_sitter_c_sharp
import tree_sitter_dart
import tree_sitter_swift


@dataclass(frozen=True)
class Language:
    """Where its types and its calls stand, and what its unions, fields of anything, moments and calls look like.

    All are patterns for `str.format`, given the `name` of a component and the `tag` of a member. `anything` finds the name of a
    field of any type; `beside` are files among the types that stand for no component, and `grammar` is there where no compiler is.
    """

    models: str
    apis: str
    union: str
    member: str
    anything: str
    moment: str
    call: str
    beside: frozenset[str] = frozenset()
    grammar: Callable[[], object] | None = None


LANGUAGES = {
    "Java": Language(
        models="src/main/java/org/openapitools/client/model/*.java",
        apis="src/main/java/org/openapitools/client/api/*.java",
        union=r"public class {name} extends AbstractOpenApiSchema",
        member=r'case "{tag}":\s+deserialized = tree.traverse\(jp.getCodec\(\)\).readValueAs\({name}.class\)',
        anything=r"private (?:List<|Map<String, )*Object>* (\w+)",
        moment=r"private OffsetDateTime serverTime;",
        call=r"sendCommand\([^)]*SendCommand sendCommand,[^)]*String idempotencyKey,[^)]*String ifMatch\)",
        beside=frozenset({"abstractopenapischema"}),
    ),
    "Kotlin": Language(
        models="src/main/kotlin/org/openapitools/client/models/*.kt",
        apis="src/main/kotlin/org/openapitools/client/apis/*.kt",
        union=r"sealed interface {name} \{{",
        member=r'"{tag}" -> \{{\s+val decoded = decoder.json.decodeFromJsonElement\({name}.serializer\(\), element\)',
        anything=r"val (\w+): [\w.<, ]*(?:kotlin\.Any|JsonElement)\b",
        moment=r"val serverTime: java.time.OffsetDateTime",
        call=r"fun sendCommand\([^)]*sendCommand: SendCommand, idempotencyKey: kotlin.String\? = null, ifMatch: kotlin.String\? = null\)",
    ),
    "Swift": Language(
        models="Sources/OpenAPIClient/Models/*.swift",
        apis="Sources/OpenAPIClient/APIs/*.swift",
        grammar=tree_sitter_swift.language,
        union=r"public enum {name}: Sendable, Codable, Hashable",
        member=r'case "{tag}":\s+self = .type{name}\(try {name}\(from: decoder\)\)',
        anything=r"public var (\w+): \[?(?:String: )?(?:JSONValue|AnyCodable|Any)\b",
        moment=r"public var serverTime: Date",
        call=r"func sendCommand\(matchId: String, sendCommand: SendCommand, idempotencyKey: String\? = nil, ifMatch: String\? = nil",
    ),
    "Dart, Flutter": Language(
        models="lib/src/model/*.dart",
        apis="lib/src/api/*.dart",
        grammar=tree_sitter_dart.language,
        union=r"abstract class {name} implements Built<{name}, {name}Builder>",
        member=r"r'{tag}': {name},",
        anything=r"(?:JsonObject|Object|dynamic)\??>*\?? get (\w+);",
        moment=r"DateTime get serverTime;",
        call=r"sendCommand\(\{{[^}}]*required SendCommand sendCommand,\s+String\? idempotencyKey,\s+String\? ifMatch,",
        beside=frozenset({"date"}),
    ),
    "C#": Language(
        models="src/Org.OpenAPITools/Model/*.cs",
        apis="src/Org.OpenAPITools/Api/*.cs",
        grammar=tree_sitter_c_sharp.language,
        union=r"public partial class {name} : IValidatableObject",
        member=r'discriminator\?.Equals\("{tag}"\) \?\? false\)\s+\{{[^}}]*Deserialize<{name}>',
        anything=r"public (?:List<|Dictionary<string, )*[Oo]bject\??>* (\w+) \{{ get; set; \}}",
        moment=r"public DateTime ServerTime",
        call=r"SendCommandAsync\(string matchId, SendCommand sendCommand, Option<string> idempotencyKey = default, "
        r"Option<string> ifMatch = default",
    ),
}
