<?php

declare(strict_types=1);

namespace Waxwing;

/** The API of one workspace: `new Waxwing('https://waxwing.example.com/api/v1', $key)`. */
final class Waxwing extends Operations
{
    /**
     * @param float $timeout of one try, in seconds
     * @param int $maxRetries further tries after the first one
     * @param float $retryDelay the pause before the second try, in seconds; it doubles from try to try
     * @param float $maxRetryAfter a longer `Retry-After` is not waited for
     */
    public function __construct(
        string $baseUrl,
        #[\SensitiveParameter] string $key,
        float $timeout = 60.0,
        int $maxRetries = 3,
        float $retryDelay = 0.5,
        float $maxRetryAfter = 30.0,
    ) {
        $this->core = new Core($baseUrl, $key, $timeout, $maxRetries, $retryDelay, $maxRetryAfter);
    }
}
