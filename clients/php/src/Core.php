<?php

declare(strict_types=1);

namespace Waxwing;

/**
 * Requests to the server: the key, time limits, retries that never send twice, and pages. Everything that the OpenAPI
 * document says is in Operations.
 *
 * @internal
 */
final class Core
{
    private const KEY_LENGTH_MAX = 100;
    private const RETRY_DELAY_MAX = 8.0;
    /** More than the server needs to answer a request that waits. */
    private const WAIT_MARGIN = 10.0;
    /** What a proxy answers while the server is away. */
    private const AWAY = [502, 503, 504];

    private string $baseUrl;
    private \CurlHandle $curl;

    public function __construct(
        string $baseUrl,
        private string $key,
        private float $timeout,
        private int $maxRetries,
        private float $retryDelay,
        private float $maxRetryAfter,
    ) {
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->curl = curl_init();
    }

    /** @return mixed */
    public function one(array $request, array $options)
    {
        return $this->read($this->send($request, $options)['body'])['data'];
    }

    public function list(array $request, array $options): array
    {
        return $this->read($this->send($request, $options)['body']);
    }

    /** Gives the cursor behind each entry as its key, where the list has them; `getReturn()` is the last cursor. */
    public function iterate(array $request, array $options): \Generator
    {
        for (;;) {
            ['data' => $data, 'meta' => $meta] = $this->list($request, $options);
            foreach ($data as $index => $item) {
                if (isset($meta['cursors'])) {
                    yield $meta['cursors'][$index] => $item;
                } else {
                    yield $item;
                }
            }
            if (!$meta['has_more'] || $meta['next'] === null) {
                return $meta['next'];
            }
            $request['query']['after'] = $meta['next'];
        }
    }

    public function file(array $request, array $options): MediaFile
    {
        $received = $this->send($request, $options);
        $type = $received['headers']['content-type'] ?? 'application/octet-stream';
        return new MediaFile($received['body'], $type, $received['status']);
    }

    private function read(string $json): array
    {
        return json_decode($json, true, 512, JSON_THROW_ON_ERROR);
    }

    /** @return array{status: int, headers: array<string, string>, body: string} */
    private function send(array $request, array $options): array
    {
        $takesKey = $request['takes_key'] ?? false;
        $given = $takesKey ? ($options['idempotency_key'] ?? self::newId()) : null;
        $requestId = $options['request_id'] ?? self::newId();
        $retries = $options['max_retries'] ?? $this->maxRetries;
        $keys = 1;
        for ($tries = 1; ; $tries++) {
            // A restarted program arrives at the same keys again, so that nothing is sent twice.
            $key = $given === null || $keys === 1 ? $given : "$given~$keys";
            $outcome = $this->try($request, $options, $requestId, $key);
            if (is_array($outcome)) {
                return $outcome;
            }
            $next = $this->next($request, $outcome, $given . '~' . ($keys + 1));
            if ($next === 'stop' || $tries > $retries) {
                throw $outcome;
            }
            if ($next === 'new key') {
                $keys++;
            }
            usleep((int) ($this->delay($outcome, $tries) * 1_000_000));
        }
    }

    private function next(array $request, WaxwingException|ConnectionException $failed, string $newKey): string
    {
        if ($failed instanceof ConnectionException) {
            $isSafe = ($request['takes_key'] ?? false) || ($request['is_idempotent'] ?? false);
            return $isSafe ? 'same key' : 'stop';
        }
        if ($failed->retryAfter !== null && $failed->retryAfter > $this->maxRetryAfter) {
            return 'stop';
        }
        $next = self::nextTry($failed);
        return $next === 'new key' && preg_match_all('/./su', $newKey) > self::KEY_LENGTH_MAX ? 'stop' : $next;
    }

    /** Whether the answer permits another try by itself: only for states that pass in seconds. */
    private static function nextTry(WaxwingException $failed): string
    {
        $retryKey = $failed->error['retry_key'] ?? null;
        if (($failed->error['outcome'] ?? null) === 'unknown') {
            return $retryKey === 'same' && in_array($failed->status, [500, 503], true) ? 'same key' : 'stop';
        }
        $isPassing = $failed->status === 429 || $failed->status >= 500;
        if (!$isPassing || ($failed->error['retryable'] ?? false) !== true) {
            return 'stop';
        }
        return $retryKey === 'new' ? 'new key' : 'same key';
    }

    private function delay(WaxwingException|ConnectionException $failed, int $tries): float
    {
        if ($failed instanceof WaxwingException && $failed->retryAfter !== null) {
            return $failed->retryAfter;
        }
        $longest = min($this->retryDelay * 2 ** ($tries - 1), self::RETRY_DELAY_MAX);
        return $longest * (0.5 + mt_rand() / mt_getrandmax() / 2);
    }

    private function try(array $request, array $options, string $requestId, ?string $key): array|WaxwingException|ConnectionException
    {
        $headers = [
            "Authorization: Bearer $this->key",
            'User-Agent: waxwing-php/' . Operations::VERSION,
            "X-Request-Id: $requestId",
            // Without this, curl waits for the server's leave before it sends a large body.
            'Expect:',
        ];
        if (isset($request['body'])) {
            $headers[] = 'Content-Type: application/json';
        }
        $boundary = 'waxwing-' . self::newId();
        if (isset($request['file'])) {
            $headers[] = "Content-Type: multipart/form-data; boundary=$boundary";
        }
        if ($key !== null) {
            $headers[] = "Idempotency-Key: $key";
        }
        $query = $request['query'] ?? [];
        $wait = (float) ($query['wait'] ?? 0);
        $timeout = ($options['timeout'] ?? $this->timeout) + ($wait > 0 ? $wait + self::WAIT_MARGIN : 0);
        $received = [];
        curl_reset($this->curl);
        curl_setopt_array($this->curl, [
            CURLOPT_URL => $this->baseUrl . $request['path'] . self::queryText($query),
            CURLOPT_CUSTOMREQUEST => $request['method'],
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => (int) ($timeout * 1000),
            CURLOPT_NOSIGNAL => true,
            // A connection that the server closes meanwhile would look like a lost answer.
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $received[strtolower($parts[0])] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if (isset($request['body'])) {
            // An empty list of members is an object, too.
            $body = $request['body'] === [] ? new \stdClass() : $request['body'];
            $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES;
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, json_encode($body, $flags));
        }
        if (isset($request['file'])) {
            curl_setopt($this->curl, CURLOPT_POSTFIELDS, self::formOf($request['file'], $boundary));
        }
        if (isset($request['range'])) {
            curl_setopt($this->curl, CURLOPT_RANGE, preg_replace('/^bytes=/', '', $request['range']));
        }
        $body = curl_exec($this->curl);
        if (!is_string($body)) {
            $late = curl_errno($this->curl) === CURLE_OPERATION_TIMEDOUT;
            $said = $late ? 'The server did not answer in time.' : 'The connection to the server failed: ' . curl_error($this->curl);
            return new ConnectionException($said, $requestId, $key);
        }
        $status = curl_getinfo($this->curl, CURLINFO_RESPONSE_CODE);
        if ($status >= 200 && $status < 300) {
            return ['status' => $status, 'headers' => $received, 'body' => $body];
        }
        return self::failureOf($status, $received, $body, $requestId, $key);
    }

    /**
     * A form with one file.
     *
     * @param array{content: string, filename: string} $file
     */
    private static function formOf(array $file, string $boundary): string
    {
        $name = strtr($file['filename'], ['"' => '%22', "\r" => '%0D', "\n" => '%0A']);
        return "--$boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"$name\"\r\n\r\n"
            . $file['content'] . "\r\n--$boundary--\r\n";
    }

    /** @param array<string, string> $headers */
    private static function failureOf(int $status, array $headers, string $body, string $requestId, ?string $key): WaxwingException|ConnectionException
    {
        $traced = $headers['x-request-id'] ?? $requestId;
        $answer = json_decode($body, true);
        $error = is_array($answer) ? ($answer['error'] ?? null) : null;
        if (!is_array($error) || !is_string($error['code'] ?? null)) {
            $said = "Not the server answered, but something before it, with $status.";
            if (in_array($status, self::AWAY, true)) {
                return new ConnectionException($said, $requestId, $key);
            }
            $error = ['code' => 'internal_error', 'message' => $said, 'retryable' => false];
            return new WaxwingException($status, $error, $traced, $key, null);
        }
        $after = $headers['retry-after'] ?? null;
        return new WaxwingException($status, $error, $traced, $key, $after !== null && ctype_digit($after) ? (float) $after : null);
    }

    private static function queryText(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            if ($value !== null) {
                $text = is_bool($value) ? ($value ? 'true' : 'false') : (is_array($value) ? implode(',', $value) : (string) $value);
                $pairs[] = rawurlencode((string) $name) . '=' . rawurlencode($text);
            }
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }

    private static function newId(): string
    {
        return bin2hex(random_bytes(16));
    }
}
