<?php

// Tells a customer that an order is on its way: php send.php ORDER PHONE NAME

declare(strict_types=1);

require __DIR__ . '/../../clients/php/autoload.php';

use Waxwing\{ConnectionException, Waxwing, WaxwingException};

[$order, $phone, $name] = array_slice($argv, 1) + ['A-1042', getenv('TO'), 'Asha'];
$waxwing = new Waxwing(getenv('WAXWING_URL'), getenv('WAXWING_KEY'));

try {
    $message = $waxwing->sendMessage(
        ['to' => $phone, 'template' => 'order_shipped', 'variables' => [$name, $order], 'reference' => $order],
        // The same order never sends twice, however often this program runs.
        ['idempotency_key' => "$order-shipped"],
    );
} catch (WaxwingException $error) {
    fwrite(STDERR, "{$error->errorCode()}: {$error->getMessage()} (request {$error->requestId})\n");
    if (($error->error['outcome'] ?? null) === 'unknown') {
        fwrite(STDERR, "It may have arrived. An event or GET /messages?reference= will tell.\n");
    }
    exit($error->error['retryable'] ? 75 : 1);
} catch (ConnectionException $error) {
    fwrite(STDERR, "{$error->getMessage()} Run this program again: it never sends twice.\n");
    exit(75);
}
echo "message {$message['id']} to {$message['to']}: {$message['status']}\n";
