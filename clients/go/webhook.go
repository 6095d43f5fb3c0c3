package waxwing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"time"
)

// ErrWebhook is returned for a request that is not from the holder of the secret, or is older than five minutes.
var ErrWebhook = errors.New("waxwing: the signature is missing, wrong or older than five minutes")

const oldest = 300

var signature = regexp.MustCompile(`\At=([0-9]{1,12}),v1=([0-9a-f]{64})\z`)

// ReadWebhook checks that a webhook comes from the server, and returns the event. body is the raw body of the request,
// header is Service-Signature.
func ReadWebhook(body []byte, header, secret string, now time.Time) (*WebhookEvent, error) {
	parts := signature.FindStringSubmatch(header)
	if parts == nil {
		return nil, ErrWebhook
	}
	signedAt, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || now.Unix()-signedAt > oldest {
		return nil, ErrWebhook
	}
	expected := hmac.New(sha256.New, []byte(secret))
	expected.Write([]byte(parts[1] + "."))
	expected.Write(body)
	given, err := hex.DecodeString(parts[2])
	if err != nil || !hmac.Equal(expected.Sum(nil), given) {
		return nil, ErrWebhook
	}
	var event WebhookEvent
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, err
	}
	return &event, nil
}
