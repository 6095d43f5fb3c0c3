<?php

// Receives webhooks and prints them: php -S 127.0.0.1:3000 receive.php

declare(strict_types=1);

require __DIR__ . '/../../clients/php/autoload.php';

use Waxwing\{Webhook, WebhookException};

try {
    $event = Webhook::read(
        file_get_contents('php://input'),
        $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? null,
        getenv('WAXWING_WEBHOOK_SECRET'),
    );
} catch (WebhookException) {
    http_response_code(400);
    exit;
}
http_response_code(204);

// Events can arrive more than once. A real program keeps the ids in its database, in the same transaction as what it does
// with the event; here, a file for each id that only one request can make.
$seen = getenv('SEEN_FOLDER') ?: sys_get_temp_dir();
if (@fopen("$seen/{$event['id']}", 'x') === false) {
    exit;
}
$line = $event['type'] === 'message.received'
    ? "{$event['type']} {$event['data']['contact']['phone']}: {$event['data']['message']['text']}"
    : "{$event['type']} {$event['id']}";
file_put_contents('php://stdout', "$line\n");
