<?php

// Keeps contacts in step: sends the customers of a CSV file, and fetches what changed since the last run.
// php sync.php customers.csv contacts.json

declare(strict_types=1);

require __DIR__ . '/../../clients/php/autoload.php';

use Waxwing\Waxwing;

[$customers, $file] = array_slice($argv, 1) + ['customers.csv', 'contacts.json'];
$waxwing = new Waxwing(getenv('WAXWING_URL'), getenv('WAXWING_KEY'));
$known = ['since' => null, 'contacts' => []];
if (is_file($file)) {
    $known = json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
}
// Asked first, so that a change during this run is fetched by the next one.
$startedAt = gmdate('Y-m-d\TH:i:s\Z', time() - 60);

$rows = array_map(fn ($line) => str_getcsv($line, ',', '"', ''), file($customers, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES));
foreach (array_slice($rows, 1) as [$phone, $name, $city]) {
    $waxwing->putContact($phone, ['name' => $name, 'city' => $city]);
}

$count = 0;
foreach ($waxwing->iterateContacts(['updated_since' => $known['since']]) as $contact) {
    ['name' => $name, 'city' => $city, 'consent' => ['status' => $consent]] = $contact;
    $known['contacts'][$contact['phone']] = ['name' => $name, 'city' => $city, 'consent' => $consent];
    $count++;
}
$known['since'] = $startedAt;
file_put_contents("$file.new", json_encode($known, JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE));
rename("$file.new", $file);
echo "$count contacts changed, " . count($known['contacts']) . " known\n";
