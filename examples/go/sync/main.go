// Keeps contacts in step: sends the customers of a CSV file, and fetches what changed since the last run.
// go run ./sync customers.csv contacts.json
package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"waxwing"
)

type contact struct {
	Name    *string `json:"name"`
	City    *string `json:"city"`
	Consent string  `json:"consent"`
}

type known struct {
	Since    string             `json:"since"`
	Contacts map[string]contact `json:"contacts"`
}

func main() {
	args := []string{"customers.csv", "contacts.json"}
	copy(args, os.Args[1:])
	if err := run(args[0], args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(customers, file string) error {
	client := waxwing.New(os.Getenv("WAXWING_URL"), os.Getenv("WAXWING_KEY"))
	ctx := context.Background()
	kept := known{Contacts: map[string]contact{}}
	if saved, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(saved, &kept); err != nil {
			return err
		}
	}
	// Asked first, so that a change during this run is fetched by the next one.
	startedAt := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)

	rows, err := os.Open(customers)
	if err != nil {
		return err
	}
	defer rows.Close()
	lines, err := csv.NewReader(rows).ReadAll()
	if err != nil {
		return err
	}
	for _, line := range lines[1:] {
		input := waxwing.ContactInput{Name: waxwing.Set(line[1]), City: waxwing.Set(line[2])}
		if _, err := client.PutContact(ctx, line[0], &input); err != nil {
			return err
		}
	}

	count := 0
	changed := client.IterateContacts(ctx, waxwing.ListContactsQuery{UpdatedSince: kept.Since})
	for changed.Next() {
		one := changed.Item()
		if one.Phone != nil {
			kept.Contacts[*one.Phone] = contact{one.Name, one.City, one.Consent.Status}
		}
		count++
	}
	if err := changed.Err(); err != nil {
		return err
	}
	kept.Since = startedAt
	saved, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", saved, 0o600); err != nil {
		return err
	}
	fmt.Printf("%d contacts changed, %d known\n", count, len(kept.Contacts))
	return os.Rename(file+".new", file)
}
