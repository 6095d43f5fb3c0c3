// Package waxwing is a client of the Waxwing API: requests with a key, time limits, retries that never send twice, and
// pages. Everything that the OpenAPI document says is in generated.go.
package waxwing

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	mathrand "math/rand"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	keyLengthMax  = 100
	retryDelayMax = 8 * time.Second
	// More than the server needs to answer a request that waits.
	waitMargin = 10 * time.Second
)

// Client is the API of one workspace. Set its fields before the first call.
type Client struct {
	// BaseURL is for example https://waxwing.example.com/api/v1.
	BaseURL string
	// Key is the API key of the workspace.
	Key string
	// Timeout is for one try.
	Timeout time.Duration
	// MaxRetries counts further tries after the first one.
	MaxRetries int
	// RetryDelay is the pause before the second try; it doubles from try to try.
	RetryDelay time.Duration
	// MaxRetryAfter: a longer Retry-After is not waited for.
	MaxRetryAfter time.Duration
	// HTTP sends the requests.
	HTTP *http.Client
}

// New returns a client with the usual limits.
func New(baseURL, key string) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// A connection that the server closes meanwhile would look like a lost answer.
	transport.DisableKeepAlives = true
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		BaseURL:       strings.TrimRight(baseURL, "/"),
		Key:           key,
		Timeout:       time.Minute,
		MaxRetries:    3,
		RetryDelay:    500 * time.Millisecond,
		MaxRetryAfter: 30 * time.Second,
		HTTP:          &http.Client{Transport: transport, CheckRedirect: noRedirects},
	}
}

type callOptions struct {
	key, requestID string
	timeout        time.Duration
	maxRetries     int
}

// CallOption changes one call.
type CallOption func(*callOptions)

// WithIdempotencyKey is for a call that sends: the same key never sends twice. Without one, the client makes a key for
// the call.
func WithIdempotencyKey(key string) CallOption { return func(o *callOptions) { o.key = key } }

// WithRequestID is shown in the server's log. Without one, the client makes an id.
func WithRequestID(id string) CallOption { return func(o *callOptions) { o.requestID = id } }

// WithTimeout limits each try of this call.
func WithTimeout(limit time.Duration) CallOption { return func(o *callOptions) { o.timeout = limit } }

// WithMaxRetries counts further tries of this call after the first one.
func WithMaxRetries(count int) CallOption { return func(o *callOptions) { o.maxRetries = count } }

// Fault is what is wrong with one field.
type Fault struct {
	Field      string   `json:"field"`
	Rule       string   `json:"rule"`
	Limit      *float64 `json:"limit,omitempty"`
	Suggestion string   `json:"suggestion,omitempty"`
}

// Error is a refusal by the server.
type Error struct {
	Status int `json:"-"`
	// Code never changes, so branch on it.
	Code         string              `json:"code"`
	Message      string              `json:"message"`
	Fields       map[string][]string `json:"fields,omitempty"`
	Faults       []Fault             `json:"faults,omitempty"`
	Since        string              `json:"since,omitempty"`
	Needed       string              `json:"needed,omitempty"`
	Available    string              `json:"available,omitempty"`
	WhatsappCode string              `json:"whatsapp_code,omitempty"`
	Oldest       string              `json:"oldest,omitempty"`
	MovedTo      string              `json:"moved_to,omitempty"`
	MessageID    int64               `json:"message_id,omitempty"`
	// Outcome is "not_sent", "unknown", or empty where the network was not asked.
	Outcome   string `json:"outcome,omitempty"`
	Retryable bool   `json:"retryable"`
	// RetryKey is the key that the next try needs: "same" or "new".
	RetryKey string `json:"retry_key,omitempty"`
	// RequestID leads to the request in the server's log.
	RequestID string `json:"-"`
	// IdempotencyKey is the key of the last try, for a call that sends.
	IdempotencyKey string `json:"-"`
	// RetryAfter is negative where the server named no time.
	RetryAfter time.Duration `json:"-"`
}

func (e *Error) Error() string { return e.Message }

// ConnectionError means that no answer of the server arrived. A call that sends may have sent: repeat it with
// IdempotencyKey, and it never sends twice.
type ConnectionError struct {
	RequestID      string
	IdempotencyKey string
	Cause          error
}

func (e *ConnectionError) Error() string {
	return "waxwing: no answer of the server: " + e.Cause.Error()
}

func (e *ConnectionError) Unwrap() error { return e.Cause }

// Meta is the position of a page in its list.
type Meta struct {
	Page       *int64    `json:"page,omitempty"`
	PerPage    int64     `json:"per_page"`
	Total      *int64    `json:"total,omitempty"`
	HasMore    bool      `json:"has_more"`
	Next       *string   `json:"next"`
	Pending    *int64    `json:"pending,omitempty"`
	Signatures []*string `json:"signatures,omitempty"`
	Cursors    []string  `json:"cursors,omitempty"`
}

// List is one page of a list.
type List[Item any] struct {
	Data []Item `json:"data"`
	Meta Meta   `json:"meta"`
}

// MediaFile holds the bytes of a file; Status is 206 for a part of it.
type MediaFile struct {
	Content     []byte
	ContentType string
	Status      int
}

// RawBody is a body as JSON, for members that this version of the client does not know.
type RawBody json.RawMessage

// MarshalJSON returns the JSON as it is.
func (r RawBody) MarshalJSON() ([]byte, error) { return r, nil }

// Nullable is a member that may be left out (nil), set (Set) or cleared (Null).
type Nullable[T any] map[bool]T

// Set gives the member a value.
func Set[T any](value T) Nullable[T] { return Nullable[T]{true: value} }

// Null clears the member.
func Null[T any]() Nullable[T] {
	var nothing T
	return Nullable[T]{false: nothing}
}

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) {
	if value, isSet := n[true]; isSet {
		return json.Marshal(value)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads the value or null.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Null[T]()
		return nil
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	*n = Set(value)
	return nil
}

// Ptr returns a pointer to the value, for optional members.
func Ptr[T any](value T) *T { return &value }

type apiRequest struct {
	method, path, byteRange string
	contentType             string
	query                   map[string]string
	body                    any
	file                    *upload
	takesKey, isIdempotent  bool
}

type upload struct {
	content  []byte
	filename string
}

// form is a form with the file, and its type.
func (u *upload) form() ([]byte, string, error) {
	var text bytes.Buffer
	writer := multipart.NewWriter(&text)
	part, err := writer.CreateFormFile("file", u.filename)
	if err != nil {
		return nil, "", err
	}
	if _, err = part.Write(u.content); err != nil {
		return nil, "", err
	}
	err = writer.Close()
	return text.Bytes(), writer.FormDataContentType(), err
}

type received struct {
	status int
	header http.Header
	body   []byte
}

func one[Data any](ctx context.Context, c *Client, request apiRequest, options []CallOption) (*Data, error) {
	answer, err := c.send(ctx, request, options)
	if err != nil {
		return nil, err
	}
	var envelope struct {
		Data Data `json:"data"`
	}
	if err := json.Unmarshal(answer.body, &envelope); err != nil {
		return nil, err
	}
	return &envelope.Data, nil
}

func list[Item any](ctx context.Context, c *Client, request apiRequest, options []CallOption) (*List[Item], error) {
	answer, err := c.send(ctx, request, options)
	if err != nil {
		return nil, err
	}
	var page List[Item]
	if err := json.Unmarshal(answer.body, &page); err != nil {
		return nil, err
	}
	return &page, nil
}

// Iterator walks a list:
//
//	for entries.Next() { entries.Item() }
//	if err := entries.Err(); err != nil { … }
type Iterator[Item any] struct {
	fetch  func(after string) (*List[Item], error)
	page   *List[Item]
	index  int
	failed error
}

func withCursors(query map[string]string) map[string]string {
	query["cursors"] = "true"
	return query
}

func iterate[Item any](ctx context.Context, c *Client, request apiRequest, options []CallOption) *Iterator[Item] {
	return &Iterator[Item]{fetch: func(after string) (*List[Item], error) {
		if after != "" {
			request.query["after"] = after
		}
		return list[Item](ctx, c, request, options)
	}}
}

// Next moves to the next entry; it is false at the end and after a failure.
func (i *Iterator[Item]) Next() bool {
	if i.failed != nil {
		return false
	}
	i.index++
	for i.page == nil || i.index >= len(i.page.Data) {
		after := ""
		if i.page != nil {
			if !i.page.Meta.HasMore || i.page.Meta.Next == nil {
				return false
			}
			after = *i.page.Meta.Next
		}
		if i.page, i.failed = i.fetch(after); i.failed != nil {
			return false
		}
		i.index = 0
	}
	return true
}

// Item is the entry that Next moved to.
func (i *Iterator[Item]) Item() Item { return i.page.Data[i.index] }

// Cursor is the position behind the entry that Next moved to, in lists that give it: passed as After, it continues with
// the next entry. After the end it is the cursor that the server gave last. Store it in the transaction that holds the
// entry's effects.
func (i *Iterator[Item]) Cursor() string {
	switch {
	case i.page == nil:
		return ""
	case i.index < len(i.page.Meta.Cursors):
		return i.page.Meta.Cursors[i.index]
	case i.index >= len(i.page.Data) && i.page.Meta.Next != nil:
		return *i.page.Meta.Next
	}
	return ""
}

// Err is why Next ended early, or nil.
func (i *Iterator[Item]) Err() error { return i.failed }

func (c *Client) file(ctx context.Context, request apiRequest, options []CallOption) (*MediaFile, error) {
	answer, err := c.send(ctx, request, options)
	if err != nil {
		return nil, err
	}
	return &MediaFile{answer.body, answer.header.Get("Content-Type"), answer.status}, nil
}

type next int

const (
	stop next = iota
	sameKey
	newKey
)

func (c *Client) send(ctx context.Context, request apiRequest, options []CallOption) (*received, error) {
	call := callOptions{timeout: c.Timeout, maxRetries: c.MaxRetries}
	for _, option := range options {
		option(&call)
	}
	if call.requestID == "" {
		call.requestID = newID()
	}
	given := ""
	if request.takesKey {
		if given = call.key; given == "" {
			given = newID()
		}
	}
	var content []byte
	if request.body != nil {
		var err error
		if content, err = encode(request.body); err != nil {
			return nil, err
		}
		request.contentType = "application/json"
	}
	if request.file != nil {
		var err error
		if content, request.contentType, err = request.file.form(); err != nil {
			return nil, err
		}
	}
	if wait, _ := strconv.ParseFloat(request.query["wait"], 64); wait > 0 {
		call.timeout += time.Duration(wait*float64(time.Second)) + waitMargin
	}
	key := given
	for tries, keys := 1, 1; ; tries++ {
		answer, failed := c.try(ctx, request, content, call, key)
		if failed == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, failed
		}
		// A restarted program arrives at the same keys again, so that nothing is sent twice.
		following := fmt.Sprintf("%s~%d", given, keys+1)
		move := c.next(request, failed, following)
		if move == stop || tries > call.maxRetries {
			return nil, failed
		}
		if move == newKey {
			keys++
			key = following
		}
		select {
		case <-ctx.Done():
			return nil, failed
		case <-time.After(c.delay(failed, tries)):
		}
	}
}

func (c *Client) next(request apiRequest, failed error, following string) next {
	refused, isRefused := failed.(*Error)
	if !isRefused {
		if request.takesKey || request.isIdempotent {
			return sameKey
		}
		return stop
	}
	if refused.RetryAfter > c.MaxRetryAfter {
		return stop
	}
	move := nextTry(refused)
	if move == newKey && utf8.RuneCountInString(following) > keyLengthMax {
		return stop
	}
	return move
}

// nextTry says whether the answer permits another try by itself: only for states that pass in seconds.
func nextTry(refused *Error) next {
	if refused.Outcome == "unknown" {
		if refused.RetryKey == "same" && (refused.Status == 500 || refused.Status == 503) {
			return sameKey
		}
		return stop
	}
	if !refused.Retryable || (refused.Status != 429 && refused.Status < 500) {
		return stop
	}
	if refused.RetryKey == "new" {
		return newKey
	}
	return sameKey
}

func (c *Client) delay(failed error, tries int) time.Duration {
	if refused, isRefused := failed.(*Error); isRefused && refused.RetryAfter >= 0 {
		return refused.RetryAfter
	}
	longest := math.Min(float64(c.RetryDelay)*math.Pow(2, float64(tries-1)), float64(retryDelayMax))
	return time.Duration(longest * (0.5 + mathrand.Float64()/2))
}

func (c *Client) try(ctx context.Context, request apiRequest, content []byte, call callOptions, key string) (*received, error) {
	ctx, cancel := context.WithTimeout(ctx, call.timeout)
	defer cancel()
	values := url.Values{}
	for name, value := range request.query {
		values.Set(name, value)
	}
	target := c.BaseURL + request.path
	if len(values) > 0 {
		target += "?" + values.Encode()
	}
	asked, err := http.NewRequestWithContext(ctx, request.method, target, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Authorization", "Bearer "+c.Key)
	asked.Header.Set("User-Agent", "waxwing-go/"+Version)
	asked.Header.Set("X-Request-Id", call.requestID)
	if request.contentType != "" {
		asked.Header.Set("Content-Type", request.contentType)
	}
	if key != "" {
		asked.Header.Set("Idempotency-Key", key)
	}
	if request.byteRange != "" {
		asked.Header.Set("Range", request.byteRange)
	}
	response, err := c.HTTP.Do(asked)
	if err != nil {
		return nil, &ConnectionError{call.requestID, key, err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, &ConnectionError{call.requestID, key, err}
	}
	if response.StatusCode >= 200 && response.StatusCode < 300 {
		return &received{response.StatusCode, response.Header, body}, nil
	}
	return nil, failureOf(response, body, call.requestID, key)
}

func failureOf(response *http.Response, body []byte, requestID, key string) error {
	var envelope struct {
		Error *Error `json:"error"`
	}
	status := response.StatusCode
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Error == nil || envelope.Error.Code == "" {
		said := fmt.Sprintf("Not the server answered, but something before it, with %d.", status)
		if status >= 502 && status <= 504 {
			return &ConnectionError{requestID, key, fmt.Errorf("%s", said)}
		}
		envelope.Error = &Error{Code: CodeInternalError, Message: said}
	}
	refused := envelope.Error
	refused.Status, refused.RequestID, refused.IdempotencyKey, refused.RetryAfter = status, requestID, key, -1
	if traced := response.Header.Get("X-Request-Id"); traced != "" {
		refused.RequestID = traced
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		refused.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refused
}

// encode writes texts as they are, where json.Marshal would escape & and <.
func encode(body any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return text.Bytes(), err
}

// queryOf reads the members of a query that are set.
func queryOf(query any) map[string]string {
	values := map[string]string{}
	members := reflect.ValueOf(query)
	for index := 0; index < members.NumField(); index++ {
		name, _, _ := strings.Cut(members.Type().Field(index).Tag.Get("json"), ",")
		member := members.Field(index)
		if member.IsZero() {
			continue
		}
		switch value := reflect.Indirect(member).Interface().(type) {
		case []string:
			values[name] = strings.Join(value, ",")
		default:
			values[name] = fmt.Sprint(value)
		}
	}
	return values
}

func segment(value any) string { return url.PathEscape(fmt.Sprint(value)) }

func newID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		panic(err)
	}
	return hex.EncodeToString(id[:])
}
