<?php

declare(strict_types=1);

namespace Waxwing;

/**
 * No answer of the server arrived. A call that sends may have sent: repeat it with `idempotencyKey`, and it never sends
 * twice.
 */
final class ConnectionException extends \RuntimeException
{
    public function __construct(
        string $message,
        public readonly string $requestId,
        public readonly ?string $idempotencyKey,
    ) {
        parent::__construct($message);
    }
}
