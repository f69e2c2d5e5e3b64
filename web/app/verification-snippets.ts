/**
 * Small receivers in six languages, for the path of a rule's URL. Each needs only the standard library of its language. It reads the raw
 * body, checks the signature in constant time, refuses calls older than five minutes, leaves out tests and money that went out, and answers.
 * The secret comes from the environment. Without one, they accept nothing: anybody can sign with an empty secret.
 *
 * The body alone is signed. The path only decides which request is meant. A request has its letters encoded, such as `%C3%A1`, and so has
 * a parsed URL. Frameworks decode them before they compare, so the snippets compare the encoded path, or let the framework decode both.
 */
export const LANGUAGES = ['Node', 'PHP', 'Python', 'Go', 'C#', 'Java'] as const
export type SnippetLanguage = (typeof LANGUAGES)[number]

interface Receiver {
  url: string
  path: string
}

const node = ({ url, path }: Receiver) => `// receiver.mjs, for ${url}
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const secret = process.env.WEBHOOK_SECRET
if (!secret) throw new Error("WEBHOOK_SECRET is not set")

const isGenuine = (body, header = "") => {
  const expected = Buffer.from("sha256=" + createHmac("sha256", secret).update(body).digest("hex"))
  const given = Buffer.from(header)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const receive = async (request) => {
  if (request.url.split("?")[0] !== "${path}") return 404
  const parts = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  if (!isGenuine(body, request.headers["x-webhook-signature"])) return 401
  const call = JSON.parse(body)
  if (!(Math.abs(Date.now() / 1000 - call.timestamp) <= 300)) return 401
  const isTest = call.event === "test" || request.headers["x-webhook-event"] === "test"
  if (!isTest && call.transaction_type !== "debit") {
    // Find the order call.order_id, compare call.amount, mark it as paid once.
  }
  return 200
}

createServer(async (request, response) => {
  const status = await receive(request).catch((error) => {
    console.error(error)
    return 500
  })
  response.writeHead(status, { "Content-Type": "application/json" }).end(status === 200 ? '{"ok":true}' : "{}")
}).listen(process.env.PORT ?? 9000)
`

const php = ({ url }: Receiver) => `<?php // For ${url}
$body = file_get_contents("php://input");
$secret = (string) getenv("WEBHOOK_SECRET"); // PHP-FPM passes it on only with an env[] line in its pool.
$expected = "sha256=" . hash_hmac("sha256", $body, $secret);
$call = json_decode($body, true);

header("Content-Type: application/json");
if ($secret === "" || !hash_equals($expected, $_SERVER["HTTP_X_WEBHOOK_SIGNATURE"] ?? "") || abs(time() - ($call["timestamp"] ?? 0)) > 300) {
    http_response_code(401);
    exit("{}");
}
$isTest = ($call["event"] ?? "") === "test" || ($_SERVER["HTTP_X_WEBHOOK_EVENT"] ?? "") === "test";
if (!$isTest && ($call["transaction_type"] ?? "") !== "debit") {
    // Find the order $call["order_id"], compare $call["amount"], mark it as paid once.
}
echo '{"ok":true}';
`

const python = ({ url, path }: Receiver) => `# receiver.py, for ${url}
import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SECRET = os.environ["WEBHOOK_SECRET"].encode()
if not SECRET:
    raise SystemExit("WEBHOOK_SECRET is empty")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        expected = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        given = self.headers.get("X-Webhook-Signature", "")
        if urlsplit(self.path).path != "${path}":
            return self.answer(404, {})
        if not hmac.compare_digest(given.encode(), expected.encode()):
            return self.answer(401, {})
        call = json.loads(body)
        if abs(time.time() - call.get("timestamp", 0)) > 300:
            return self.answer(401, {})
        is_test = call.get("event") == "test" or self.headers.get("X-Webhook-Event") == "test"
        if not is_test and call.get("transaction_type") != "debit":
            pass  # Find the order call["order_id"], compare call["amount"], mark it as paid once.
        self.answer(200, {"ok": True})

    do_PUT = do_POST

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


ThreadingHTTPServer(("", int(os.environ.get("PORT", 9000))), Receiver).serve_forever()
`

const go = ({ url, path }: Receiver) => `// receiver.go, for ${url}
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"time"
)

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEBHOOK_SECRET")))
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	var call struct {
		Event     string  \`json:"event"\`
		Direction string  \`json:"transaction_type"\`
		OrderID   string  \`json:"order_id"\`
		Timestamp float64 \`json:"timestamp"\`
	}
	if err != nil || !hmac.Equal([]byte(expected), []byte(r.Header.Get("X-Webhook-Signature"))) ||
		json.Unmarshal(body, &call) != nil || math.Abs(float64(time.Now().Unix())-call.Timestamp) > 300 {
		http.Error(w, "{}", http.StatusUnauthorized)
		return
	}
	isTest := call.Event == "test" || r.Header.Get("X-Webhook-Event") == "test"
	if !isTest && call.Direction != "debit" {
		// Find the order call.OrderID, compare the amount, mark it as paid once.
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, \`{"ok":true}\`)
}

func main() {
	if os.Getenv("WEBHOOK_SECRET") == "" {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	http.HandleFunc("${path}", receive)
	log.Fatal(http.ListenAndServe(":"+cmp.Or(os.Getenv("PORT"), "9000"), nil))
}
`

const csharp = ({ url, path }: Receiver) => `// Program.cs of a project made by "dotnet new web", for ${url}
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

var secret = Encoding.UTF8.GetBytes(Environment.GetEnvironmentVariable("WEBHOOK_SECRET") ?? "");
if (secret.Length == 0) throw new Exception("WEBHOOK_SECRET is not set");
var app = WebApplication.CreateBuilder(args).Build();

app.MapMethods("/{**path}", new[] { "POST", "PUT" }, async (HttpRequest request) =>
{
    if (request.Path != PathString.FromUriComponent("${path}")) return Results.NotFound();
    using var memory = new MemoryStream();
    await request.Body.CopyToAsync(memory);
    var body = memory.ToArray();
    var expected = "sha256=" + Convert.ToHexString(HMACSHA256.HashData(secret, body)).ToLowerInvariant();
    var given = request.Headers["X-Webhook-Signature"].ToString();
    if (!CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(given), Encoding.UTF8.GetBytes(expected)))
        return Results.Unauthorized();
    var call = JsonDocument.Parse(body).RootElement;
    var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - call.GetProperty("timestamp").GetInt64();
    if (Math.Abs(age) > 300) return Results.Unauthorized();
    var isTest = call.TryGetProperty("event", out var name) && name.GetString() == "test"
        || request.Headers["X-Webhook-Event"] == "test";
    var isOut = call.TryGetProperty("transaction_type", out var direction) && direction.GetString() == "debit";
    if (!isTest && !isOut)
    {
        // Find the order "order_id", compare "amount", mark it as paid once.
    }
    return Results.Json(new { ok = true });
});

app.Run();
`

const java = ({ url, path }: Receiver) => `// Receiver.java, for ${url}
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static final byte[] SECRET = System.getenv("WEBHOOK_SECRET").getBytes();
    static final Pattern TIMESTAMP = Pattern.compile("\\"timestamp\\":(\\\\d{1,18})[,}]");

    static boolean isGenuine(byte[] body, String header) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        String expected = "sha256=" + HexFormat.of().formatHex(mac.doFinal(body));
        return header != null && MessageDigest.isEqual(expected.getBytes(), header.getBytes());
    }

    /** Use your JSON library here. The timestamp is the last field. */
    static boolean isRecent(String body) {
        long last = 0;
        for (var found = TIMESTAMP.matcher(body); found.find(); ) last = Long.parseLong(found.group(1));
        return Math.abs(System.currentTimeMillis() / 1000 - last) <= 300;
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "9000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            int status = 500;
            try {
                boolean isHere = exchange.getRequestURI().getRawPath().equals("${path}");
                boolean isGood = isHere
                    && isGenuine(body, exchange.getRequestHeaders().getFirst("X-Webhook-Signature"))
                    && isRecent(new String(body, "UTF-8"));
                // If it is good, neither its event nor its header X-Webhook-Event is "test", and its
                // transaction_type is not "debit": find the order, compare the amount, mark it as paid once.
                status = !isHere ? 404 : isGood ? 200 : 401;
            } catch (Exception error) {
                error.printStackTrace();
            }
            byte[] answer = (status == 200 ? "{\\"ok\\":true}" : "{}").getBytes();
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }
}
`

const SNIPPETS: Record<SnippetLanguage, (receiver: Receiver) => string> = {
  Node: node,
  PHP: php,
  Python: python,
  Go: go,
  'C#': csharp,
  Java: java,
}

/**
 * A parsed URL contains no quote, backslash or line break, so it cannot end a text or a comment.
 * @param url  of the rule
 */
export const verificationSnippet = (language: SnippetLanguage, url: string): string => {
  const { href, pathname } = new URL(url)
  return SNIPPETS[language]({ url: href, path: pathname })
}

/** @param body  that a rule sends @returns whether the receivers can tell its age; a template may leave the time out */
export const tellsItsAge = (body: string): boolean =>
  typeof (JSON.parse(body) as { timestamp?: unknown }).timestamp === 'number'
