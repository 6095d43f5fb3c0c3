<?php

declare(strict_types=1);

namespace Waxwing;

/** The request is not from the holder of the secret, or is older than five minutes. */
final class WebhookException extends \RuntimeException
{
}
