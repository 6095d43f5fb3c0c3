<?php

declare(strict_types=1);

namespace Waxwing;

/** The server refused the request. */
final class WaxwingException extends \RuntimeException
{
    /**
     * @param array<string, mixed> $error all members of `error` in the server's answer
     * @param string $requestId leads to the request in the server's log
     * @param string|null $idempotencyKey the key of the last try, for a call that sends
     */
    public function __construct(
        public readonly int $status,
        public readonly array $error,
        public readonly string $requestId,
        public readonly ?string $idempotencyKey,
        public readonly ?float $retryAfter,
    ) {
        parent::__construct($error['message']);
    }

    /** Branch on it: codes never change. */
    public function errorCode(): string
    {
        return $this->error['code'];
    }
}
