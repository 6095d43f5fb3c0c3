<?php

// Runs the script with the PHP client: php php.php CLIENT SCRIPT BASE_URL KEY. Prints a line for each step.

declare(strict_types=1);

[, $client, $script, $baseUrl, $key] = $argv;
require $client;

$api = new Waxwing\Waxwing($baseUrl, $key, timeout: 10.0, retryDelay: 0.005, maxRetryAfter: 1.5);
$results = [];

function filled(mixed $value): mixed
{
    global $results;
    if (is_string($value) && preg_match('/^\{\{(.+)\}\}$/', $value, $match) === 1) {
        return array_reduce(explode('.', $match[1]), fn ($from, $name) => $from[$name], $results);
    }
    if ($value instanceof stdClass) {
        return (object) array_map(filled(...), (array) $value);
    }
    return is_array($value) ? array_map(filled(...), $value) : $value;
}

function run(Waxwing\Waxwing $api, stdClass $step): array
{
    $name = $step->call;
    $args = (array) filled($step->args ?? new stdClass());
    if ($name === 'readWebhook') {
        return ['event' => Waxwing\Webhook::read($args['body'], $args['header'], $args['secret'], $args['now'])];
    }
    $given = $step->options ?? new stdClass();
    $options = array_filter([
        'request_id' => $step->id,
        'idempotency_key' => $given->idempotencyKey ?? null,
        'timeout' => isset($given->timeoutMs) ? $given->timeoutMs / 1000 : null,
        'max_retries' => $given->maxRetries ?? null,
    ], fn ($value) => $value !== null);
    $query = (array) ($args['query'] ?? []);
    $range = $args['range'] ?? null;
    $body = $args['body'] ?? null;
    unset($args['query'], $args['range'], $args['body']);
    $values = [...array_values($args), ...($body === null ? [] : [$body])];
    if ($step->iterate ?? false) {
        $iterate = preg_replace('/^(list|get)/', 'iterate', $name);
        [$data, $cursors] = [[], []];
        $entries = $api->$iterate(...[...$values, $query, $options]);
        foreach ($entries as $cursor => $entry) {
            $data[] = $entry;
            $cursors[] = $cursor;
        }
        return ['data' => $data, 'meta' => ['cursors' => $cursors, 'next' => $entries->getReturn()]];
    }
    if ($name === 'getMedia') {
        $file = $api->getMedia($values[0], $range, $options);
        $told = ['bytes' => strlen($file->content), 'sha256' => hash('sha256', $file->content)];
        return ['file' => [...$told, 'content_type' => $file->contentType, 'status' => $file->status]];
    }
    if (preg_match('/^list|^getConversation|^getUsage/', $name) === 1) {
        $values[] = $query;
    }
    $answer = $api->$name(...[...$values, $options]);
    return preg_match('/^list|^getConversation/', $name) === 1 ? $answer : ['data' => $answer];
}

foreach (json_decode(file_get_contents($script), false, 512, JSON_THROW_ON_ERROR)->steps as $step) {
    try {
        $result = run($api, $step);
    } catch (Waxwing\WebhookException) {
        $result = ['error' => ['kind' => 'webhook']];
    } catch (Waxwing\ConnectionException $error) {
        $result = ['error' => ['kind' => 'connection', 'request_id' => $error->requestId, 'key' => $error->idempotencyKey]];
    } catch (Waxwing\WaxwingException $error) {
        $traced = ['status' => $error->status, 'request_id' => $error->requestId, 'key' => $error->idempotencyKey];
        $result = ['error' => ['kind' => 'api', ...$traced, ...$error->error]];
    }
    $results[$step->id] = $result;
    echo json_encode(['id' => $step->id, ...$result], JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE), "\n";
}
