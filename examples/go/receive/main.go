// Receives webhooks on PORT and prints them: go run ./receive
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"waxwing"
)

type receiver struct {
	secret string
	lock   sync.Mutex
	// A real program keeps the ids in its database, in the same transaction as what it does with the event.
	seen map[string]bool
}

func (r *receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := waxwing.ReadWebhook(body, request.Header.Get("Service-Signature"), r.secret, time.Now())
	if err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	response.WriteHeader(http.StatusNoContent)
	r.lock.Lock()
	defer r.lock.Unlock()
	// Events can arrive more than once.
	if r.seen[event.ID] {
		return
	}
	r.seen[event.ID] = true
	if event.Type != "message.received" {
		fmt.Println(event.Type, event.ID)
		return
	}
	var received waxwing.MessageReceivedEventData
	if err := json.Unmarshal(event.Data, &received); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	if phone, text := received.Contact.Phone, received.Message.Text; phone != nil && text != nil {
		fmt.Printf("%s %s: %s\n", event.Type, *phone, *text)
	}
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Printf("http://%s/hook\n", listener.Addr())
	panic(http.Serve(listener, &receiver{secret: os.Getenv("WAXWING_WEBHOOK_SECRET"), seen: map[string]bool{}}))
}
