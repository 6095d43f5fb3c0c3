<?php

declare(strict_types=1);

namespace Waxwing;

/** The bytes of a file; `status` is 206 for a part of it. */
final class MediaFile
{
    public function __construct(
        public readonly string $content,
        public readonly string $contentType,
        public readonly int $status,
    ) {
    }
}
