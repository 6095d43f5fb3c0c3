<?php

declare(strict_types=1);

namespace Waxwing;

/** Checks that a webhook comes from the server, before anything in it is believed. */
final class Webhook
{
    private const OLDEST = 300;

    /**
     * Returns the event.
     *
     * @param string $body the raw bytes of the request, before JSON parsing: `file_get_contents('php://input')`
     * @param string|null $header `$_SERVER['HTTP_SERVICE_SIGNATURE'] ?? null`; while a secret is being replaced it holds
     *     a signature by each, and one that fits is enough
     * @return array<string, mixed>
     * @throws WebhookException
     */
    public static function read(string $body, ?string $header, #[\SensitiveParameter] string $secret, ?int $now = null): array
    {
        if ($secret === '') {
            throw new WebhookException('The webhook secret is empty.');
        }
        if (preg_match('/\At=([0-9]{1,12})((?:,v1=[0-9a-f]{64}){1,8})\z/', $header ?? '', $parts) !== 1) {
            throw new WebhookException('The signature is missing or malformed.');
        }
        if (($now ?? time()) - (int) $parts[1] > self::OLDEST) {
            throw new WebhookException('The signature is older than five minutes.');
        }
        $expected = hash_hmac('sha256', $parts[1] . '.' . $body, $secret);
        $given = array_slice(explode(',v1=', $parts[2]), 1);
        if (array_filter($given, static fn (string $one): bool => hash_equals($expected, $one)) === []) {
            throw new WebhookException('The signature is wrong.');
        }
        try {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        } catch (\JsonException $error) {
            throw new WebhookException('The body is signed, but is not JSON.', 0, $error);
        }
    }
}
