package main

import (
	"fmt"

	"paddock/app/widgets"
)

// answer is Markdown of every kind, streamed over and over.
const answer = `You need **59 posts**. I read four sides in your plan: 42, 28, 42 and 31 m. In a closed loop there are as many posts as sections, so it is enough to round each side up and add. The gate is hung on two of the ordinary posts, and *no* post is counted twice, because a corner ends one side and starts the next.

| Side | Length | Sections |
|------|-------:|---------:|
| North | 42 m | 17 |
| East | 28 m | 12 |
| South | 42 m | 17 |
| West | 31 m | 13 |

` + "```go" + `
func posts(sides []float64, gap float64) (n int) {
	for _, s := range sides {
		n += int(math.Ceil(s / gap)) // a corner ends one side and starts the next
	}
	return n
}
` + "```" + `

1. Set the four corners first, and stretch a line between them.
2. Divide each side by the number of its sections, not by 2.5 m:
   - the north side has 17 sections of 2.47 m,
   - the west side 13 of 2.38 m.
3. Hang the gate on ` + "`posts[4]`" + ` and ` + "`posts[5]`" + `.

> Wood that stands in wet ground lasts longer on gravel. Twenty centimetres are enough.

`

// conversation makes as many messages, in turns.
func conversation(count int) []widgets.Message {
	messages := make([]widgets.Message, 0, count)
	for i := range count {
		m := widgets.Message{ID: i, User: i%2 == 0}
		if m.User {
			m.Text = fmt.Sprintf("Question %d: how many posts do I need if the gap is at most 2.5 m?", i/2+1)
		} else {
			m.Text = answer
			m.Facts = []string{"62.4 tok/s", "first token 0.62 s", "in 3,187", "out 412"}
		}
		messages = append(messages, m)
	}
	return messages
}
