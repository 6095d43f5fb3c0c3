// Runs the script with the Go client: runner SCRIPT BASE_URL KEY. Prints a line for each step.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"waxwing"
)

type step struct {
	ID      string         `json:"id"`
	Call    string         `json:"call"`
	Args    map[string]any `json:"args"`
	Iterate bool           `json:"iterate"`
	Options struct {
		IdempotencyKey string `json:"idempotencyKey"`
		TimeoutMs      int    `json:"timeoutMs"`
		MaxRetries     *int   `json:"maxRetries"`
	} `json:"options"`
}

type object = map[string]any

var results = object{}
var reference = regexp.MustCompile(`^\{\{(.+)\}\}$`)

func filled(value any) any {
	switch value := value.(type) {
	case string:
		match := reference.FindStringSubmatch(value)
		if match == nil {
			return value
		}
		var found any = results
		for _, name := range strings.Split(match[1], ".") {
			if list, isList := found.([]any); isList {
				index, _ := strconv.Atoi(name)
				found = list[index]
			} else {
				found = found.(object)[name]
			}
		}
		return found
	case []any:
		made := make([]any, len(value))
		for index, item := range value {
			made[index] = filled(item)
		}
		return made
	case object:
		made := object{}
		for name, member := range value {
			made[name] = filled(member)
		}
		return made
	}
	return value
}

func text(value any) []byte {
	made, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return made
}

// typed reads a value into a type of the client; false where the type has no such member.
func typed[T any](value any) (T, bool) {
	var made T
	decoder := json.NewDecoder(bytes.NewReader(text(value)))
	decoder.DisallowUnknownFields()
	return made, decoder.Decode(&made) == nil
}

func query[T any](args object) T {
	return known[T](args["query"])
}

// known reads a value into a type of the client, which has all of its members.
func known[T any](value any) T {
	made, isKnown := typed[T](value)
	if !isKnown {
		panic(fmt.Sprintf("the client has no such %T: %v", made, value))
	}
	return made
}

// without takes members out, whose types the decoder cannot choose.
func without(body object, names ...string) object {
	rest := object{}
	for name, member := range body {
		rest[name] = member
	}
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

func has(body object, name string) bool {
	_, isThere := body[name]
	return isThere
}

// form reads a form of a request, and lets put fill what the decoder cannot choose; what no form has goes as it is.
func form[T waxwing.SendMessage](body object, put func(*T), names ...string) waxwing.SendMessage {
	made, isKnown := typed[T](without(body, append(names, "reply_to")...))
	if !isKnown {
		return waxwing.RawBody(text(body))
	}
	put(&made)
	return made
}

func message(body object) waxwing.SendMessage {
	given := func(name string) object {
		member, _ := body[name].(object)
		return member
	}
	switch {
	case has(body, "template"):
		return template(body)
	case has(body, "text"):
		return form(body, func(made *waxwing.SendText) { made.ReplyTo = named(body) })
	case has(body, "media"):
		return form(body, func(made *waxwing.SendMedia) {
			made.ReplyTo = named(body)
			if has(given("media"), "id") {
				made.Media = known[waxwing.SentMediaById](given("media"))
			} else {
				made.Media = known[waxwing.SentMediaByLink](given("media"))
			}
		}, "media")
	case has(body, "location"):
		return form(body, func(made *waxwing.SendLocation) { made.ReplyTo = named(body) })
	case has(body, "contacts"):
		return form(body, func(made *waxwing.SendContacts) { made.ReplyTo = named(body) })
	case has(body, "interactive"):
		return form(body, func(made *waxwing.SendInteractive) {
			made.ReplyTo = named(body)
			made.Interactive = interactive(given("interactive"))
		}, "interactive")
	default:
		return form(body, func(made *waxwing.SendReaction) {
			made.Reaction.Emoji = given("reaction")["emoji"].(string)
			made.Reaction.To = about(given("reaction")["to"].(object))
		}, "reaction")
	}
}

func interactive(given object) waxwing.Interactive {
	switch {
	case has(given, "buttons"):
		return known[waxwing.InteractiveButtons](given)
	case has(given, "list"):
		return known[waxwing.InteractiveList](given)
	case has(given, "link"):
		return known[waxwing.InteractiveLink](given)
	case has(given, "address"):
		return known[waxwing.InteractiveAddress](given)
	case has(given, "flow"):
		return known[waxwing.InteractiveFlow](given)
	default:
		return known[waxwing.InteractiveLocationRequest](given)
	}
}

func named(body object) waxwing.MessageReference {
	to, isGiven := body["reply_to"].(object)
	if !isGiven {
		return nil
	}
	return about(to)
}

func about(to object) waxwing.MessageReference {
	if has(to, "inbound") {
		return known[waxwing.ReceivedReference](to)
	}
	return known[waxwing.SentReference](to)
}

func cardMedia(card object) waxwing.CardMedia {
	media, isGiven := card["media"].(object)
	if !isGiven {
		return nil
	}
	if has(media, "id") {
		return known[waxwing.CardMediaById](media)
	}
	return known[waxwing.CardMediaByLink](media)
}

// withCards takes the cards out, and gives the rest of the body.
func withCards(body object, put func(card object)) object {
	cards, _ := body["cards"].([]any)
	for _, card := range cards {
		put(card.(object))
	}
	return without(body, "cards")
}

func template(body object) waxwing.SendMessage {
	var cards []waxwing.TemplateCard
	rest := withCards(body, func(card object) {
		made := known[waxwing.TemplateCard](without(card, "media"))
		made.Media = cardMedia(card)
		cards = append(cards, made)
	})
	made, isKnown := typed[waxwing.SendTemplate](without(rest, "variables"))
	if !isKnown {
		return waxwing.RawBody(text(body))
	}
	made.Cards = cards
	switch given := body["variables"].(type) {
	case []any:
		made.Variables = waxwing.VariablesList(given)
	case object:
		if named, isNamed := typed[waxwing.NamedVariables](given); isNamed {
			made.Variables = named
		} else {
			parts, _ := typed[waxwing.VariablesParts](given)
			made.Variables = parts
		}
	}
	return made
}

func broadcast(body object) waxwing.CreateBroadcast {
	var cards []waxwing.BroadcastCard
	rest := without(withCards(body, func(card object) {
		made := known[waxwing.BroadcastCard](without(card, "media"))
		made.Media = cardMedia(card)
		cards = append(cards, made)
	}), "variables")
	var variables waxwing.BroadcastVariables
	if list, isList := body["variables"].([]any); isList {
		variables = waxwing.BroadcastVariablesList(list)
	}
	if _, isList := body["to"]; isList {
		made, isKnown := typed[waxwing.BroadcastToList](rest)
		if isKnown {
			made.Variables, made.Cards = variables, cards
			return made
		}
	} else if made, isKnown := typed[waxwing.BroadcastToGroup](rest); isKnown {
		made.Variables, made.Cards = variables, cards
		return made
	}
	return waxwing.RawBody(text(body))
}

func single[T any](data *T, err error) (object, error) {
	if err != nil {
		return nil, err
	}
	return object{"data": *data}, nil
}

func page[T any](list *waxwing.List[T], err error) (object, error) {
	if err != nil {
		return nil, err
	}
	return object{"data": list.Data, "meta": list.Meta}, nil
}

func all[T any](entries *waxwing.Iterator[T]) (object, error) {
	items := []T{}
	cursors := []string{}
	for entries.Next() {
		items = append(items, entries.Item())
		cursors = append(cursors, entries.Cursor())
	}
	return object{"data": items, "meta": object{"cursors": cursors, "next": entries.Cursor()}}, entries.Err()
}

func either[T any](isIterated bool, list func() (*waxwing.List[T], error), entries func() *waxwing.Iterator[T]) (object, error) {
	if isIterated {
		return all(entries())
	}
	return page(list())
}

func run(c *waxwing.Client, s step) (object, error) {
	ctx := context.Background()
	args := filled(object(s.Args)).(object)
	if s.Call == "readWebhook" {
		now := time.Unix(int64(args["now"].(float64)), 0)
		event, err := waxwing.ReadWebhook([]byte(args["body"].(string)), args["header"].(string), args["secret"].(string), now)
		return object{"event": event}, err
	}
	options := []waxwing.CallOption{waxwing.WithRequestID(s.ID)}
	if s.Options.IdempotencyKey != "" {
		options = append(options, waxwing.WithIdempotencyKey(s.Options.IdempotencyKey))
	}
	if s.Options.TimeoutMs > 0 {
		options = append(options, waxwing.WithTimeout(time.Duration(s.Options.TimeoutMs)*time.Millisecond))
	}
	if s.Options.MaxRetries != nil {
		options = append(options, waxwing.WithMaxRetries(*s.Options.MaxRetries))
	}
	phone, _ := args["phone"].(string)
	number, _ := args["id"].(float64)
	id := int64(number)
	body, _ := args["body"].(object)
	if args["query"] == nil {
		args["query"] = object{}
	}
	switch s.Call {
	case "getWorkspace":
		return single(c.GetWorkspace(ctx, options...))
	case "getUsage":
		return single(c.GetUsage(ctx, query[waxwing.GetUsageQuery](args), options...))
	case "sendMessage":
		return single(c.SendMessage(ctx, message(body), options...))
	case "getMessage":
		return single(c.GetMessage(ctx, id, options...))
	case "cancelMessage":
		return single(c.CancelMessage(ctx, id, options...))
	case "markInboundRead":
		return single(c.MarkInboundRead(ctx, id, known[waxwing.MarkRead](body), options...))
	case "getInbound":
		return single(c.GetInbound(ctx, id, options...))
	case "createBroadcast":
		return single(c.CreateBroadcast(ctx, broadcast(body), options...))
	case "previewBroadcast":
		return single(c.PreviewBroadcast(ctx, broadcast(body), options...))
	case "getBroadcast":
		return single(c.GetBroadcast(ctx, id, options...))
	case "cancelBroadcast":
		return single(c.CancelBroadcast(ctx, id, options...))
	case "getContact":
		return single(c.GetContact(ctx, phone, options...))
	case "putContact":
		input := known[waxwing.ContactInput](body)
		return single(c.PutContact(ctx, phone, &input, options...))
	case "putContacts":
		return single(c.PutContacts(ctx, known[waxwing.ContactsInput](body), options...))
	case "optOutContact":
		return single(c.OptOutContact(ctx, phone, options...))
	case "getMedia":
		byteRange, _ := args["range"].(string)
		file, err := c.GetMedia(ctx, id, byteRange, options...)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(file.Content)
		told := object{"bytes": len(file.Content), "sha256": hex.EncodeToString(sum[:])}
		told["content_type"], told["status"] = file.ContentType, file.Status
		return object{"file": told}, nil
	case "uploadMedia":
		return single(c.UploadMedia(ctx, []byte(args["content"].(string)), args["filename"].(string), options...))
	case "listMessages":
		q := query[waxwing.ListMessagesQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.Message], error) { return c.ListMessages(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.Message] { return c.IterateMessages(ctx, q, options...) })
	case "listBroadcasts":
		q := query[waxwing.ListBroadcastsQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.Broadcast], error) { return c.ListBroadcasts(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.Broadcast] { return c.IterateBroadcasts(ctx, q, options...) })
	case "listRecipients":
		q := query[waxwing.ListRecipientsQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.Recipient], error) { return c.ListRecipients(ctx, id, q, options...) },
			func() *waxwing.Iterator[waxwing.Recipient] { return c.IterateRecipients(ctx, id, q, options...) })
	case "listContacts":
		q := query[waxwing.ListContactsQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.Contact], error) { return c.ListContacts(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.Contact] { return c.IterateContacts(ctx, q, options...) })
	case "getConversation":
		q := query[waxwing.GetConversationQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.ConversationEntry], error) {
			return c.GetConversation(ctx, phone, q, options...)
		}, func() *waxwing.Iterator[waxwing.ConversationEntry] {
			return c.IterateConversation(ctx, phone, q, options...)
		})
	case "listOptOuts":
		q := query[waxwing.ListOptOutsQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.OptOut], error) { return c.ListOptOuts(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.OptOut] { return c.IterateOptOuts(ctx, q, options...) })
	case "listTemplates":
		q := query[waxwing.ListTemplatesQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.Template], error) { return c.ListTemplates(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.Template] { return c.IterateTemplates(ctx, q, options...) })
	case "listGroups":
		q := query[waxwing.ListGroupsQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.Group], error) { return c.ListGroups(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.Group] { return c.IterateGroups(ctx, q, options...) })
	case "listEvents":
		q := query[waxwing.ListEventsQuery](args)
		return either(s.Iterate, func() (*waxwing.List[waxwing.WebhookEvent], error) { return c.ListEvents(ctx, q, options...) },
			func() *waxwing.Iterator[waxwing.WebhookEvent] { return c.IterateEvents(ctx, q, options...) })
	}
	panic("unknown call " + s.Call)
}

func failure(err error) object {
	var lost *waxwing.ConnectionError
	var refused *waxwing.Error
	switch {
	case errors.Is(err, waxwing.ErrWebhook):
		return object{"kind": "webhook"}
	case errors.As(err, &lost):
		return object{"kind": "connection", "request_id": lost.RequestID, "key": keyOrNull(lost.IdempotencyKey)}
	case errors.As(err, &refused):
		var told object
		_ = json.Unmarshal(text(refused), &told)
		told["kind"], told["status"] = "api", refused.Status
		told["request_id"], told["key"] = refused.RequestID, keyOrNull(refused.IdempotencyKey)
		return told
	}
	panic(err)
}

func keyOrNull(key string) any {
	if key == "" {
		return nil
	}
	return key
}

func main() {
	script, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var read struct {
		Steps []step `json:"steps"`
	}
	if err := json.Unmarshal(script, &read); err != nil {
		panic(err)
	}
	c := waxwing.New(os.Args[2], os.Args[3])
	c.Timeout, c.RetryDelay, c.MaxRetryAfter = 10*time.Second, 5*time.Millisecond, 1500*time.Millisecond
	for _, s := range read.Steps {
		result, err := run(c, s)
		if err != nil {
			result = object{"error": failure(err)}
		}
		result["id"] = s.ID
		line := text(result)
		var plain any
		_ = json.Unmarshal(line, &plain)
		results[s.ID] = plain
		fmt.Println(string(line))
	}
}
