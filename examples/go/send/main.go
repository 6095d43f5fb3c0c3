// Tells a customer that an order is on its way: go run ./send ORDER PHONE NAME
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"waxwing"
)

func main() {
	args := []string{"A-1042", os.Getenv("TO"), "Asha"}
	copy(args, os.Args[1:])
	order, phone, name := args[0], args[1], args[2]
	client := waxwing.New(os.Getenv("WAXWING_URL"), os.Getenv("WAXWING_KEY"))

	message, err := client.SendMessage(context.Background(), waxwing.SendTemplate{
		To:        phone,
		Template:  "order_shipped",
		Variables: waxwing.VariablesList{name, order},
		Reference: order,
		// The same order never sends twice, however often this program runs.
	}, waxwing.WithIdempotencyKey(order+"-shipped"))

	var refused *waxwing.Error
	switch {
	case err == nil:
		fmt.Printf("message %d to %s: %s\n", message.ID, message.To, message.Status)
	case errors.As(err, &refused):
		fmt.Fprintf(os.Stderr, "%s: %s (request %s)\n", refused.Code, refused.Message, refused.RequestID)
		if refused.Outcome == "unknown" {
			fmt.Fprintln(os.Stderr, "It may have arrived. An event or GET /messages?reference= will tell.")
		}
		if refused.Retryable {
			os.Exit(75)
		}
		os.Exit(1)
	default:
		fmt.Fprintf(os.Stderr, "%s. Run this program again: it never sends twice.\n", err)
		os.Exit(75)
	}
}
