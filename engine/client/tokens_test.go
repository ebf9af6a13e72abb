package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func TestTokensOfManyTextsAreCountedInOneRequest(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		var asked struct {
			Content      any
			AddSpecial   bool `json:"add_special"`
			ParseSpecial bool `json:"parse_special"`
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/tokenize" || !asked.ParseSpecial {
			t.Errorf("asked %s, %+v, %v", r.URL.Path, asked, err)
		}
		answer := `{"tokens":[7]}`
		if asked.AddSpecial {
			answer = `{"tokens":[2,7,3]}`
		} else if list, ok := asked.Content.([]any); ok {
			if fmt.Sprint(list) != "[one two -1  -1 three -1]" {
				t.Errorf("asked %v", list)
			}
			answer = `{"tokens":[7,8,-1,-1,9,-1]}`
		}
		fmt.Fprint(w, answer)
	}))
	defer server.Close()
	c := New(server.URL, testKey)
	for range 2 {
		counts, err := c.CountTokens(t.Context(), []string{"one two", "", "three"})
		if err != nil || !slices.Equal(counts, []int{4, 2, 3}) {
			t.Errorf("%v, %v", counts, err)
		}
	}
	if counts, err := c.CountTokens(t.Context(), nil); len(counts) > 0 || err != nil || requests != 4 {
		t.Errorf("%v, %v, %d requests", counts, err, requests)
	}
}

func TestCountsThatAreNoneAreRefused(t *testing.T) {
	for body, want := range map[string]ErrorKind{
		`{"tokens":[1,2]}`: Unintelligible, `<html>`: Unintelligible, `{"tokens":[1,-1,-1]}`: Unintelligible,
	} {
		c, _ := replying(t, 200, body)
		_, err := c.CountTokens(t.Context(), []string{"one"})
		var failed *Error
		if !errors.As(err, &failed) || failed.Kind != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	c, _ := replying(t, 503, `{"error":{"message":"Loading model"}}`)
	_, err := c.CountTokens(t.Context(), []string{"one"})
	var failed *Error
	if !errors.As(err, &failed) || failed.Kind != StillLoading {
		t.Error(err)
	}
}
