package waxwing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrWebhook is returned for a request that is not from the holder of the secret, or is older than five minutes, and
// for an empty secret, with which anybody could sign.
var ErrWebhook = errors.New("waxwing: the signature is missing, wrong or older than five minutes, or the secret is empty")

const oldest = 300

var signature = regexp.MustCompile(`\At=([0-9]{1,12})((?:,v1=[0-9a-f]{64}){1,8})\z`)

// ReadWebhook checks that a webhook comes from the server, and returns the event. body is the raw body of the request,
// header is Service-Signature; while a secret is being replaced it holds a signature by each, and one that fits is enough.
func ReadWebhook(body []byte, header, secret string, now time.Time) (*WebhookEvent, error) {
	parts := signature.FindStringSubmatch(header)
	if parts == nil || secret == "" {
		return nil, ErrWebhook
	}
	signedAt, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || now.Unix()-signedAt > oldest {
		return nil, ErrWebhook
	}
	expected := hmac.New(sha256.New, []byte(secret))
	expected.Write([]byte(parts[1] + "."))
	expected.Write(body)
	if !fitsOne(expected.Sum(nil), parts[2]) {
		return nil, ErrWebhook
	}
	var event WebhookEvent
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("%w: the body is signed, but is not JSON: %v", ErrWebhook, err)
	}
	return &event, nil
}

// fitsOne compares with each signature of ",v1=…,v1=…".
func fitsOne(expected []byte, signatures string) bool {
	for _, one := range strings.Split(signatures, ",v1=")[1:] {
		if given, err := hex.DecodeString(one); err == nil && hmac.Equal(expected, given) {
			return true
		}
	}
	return false
}
