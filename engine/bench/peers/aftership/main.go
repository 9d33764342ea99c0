// Checks a list with AfterShip's email-verifier for npm run bench:peers.
//
//	aftership-driver LIST CONNECTIONS_PER_HOST CHECKS_AT_ONCE
//
// LIST has lines of address, mail host and further columns, separated by tabs. The library opens one connection per check, so
// the limit per host is a limit on concurrent checks. Prints address, tab and the library's word (yes, no, unknown).
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	emailverifier "github.com/AfterShip/email-verifier"
)

// Like the default of Mailvet; the library's own is 10 seconds, too short for a busy machine.
const timeout = 30 * time.Second

func main() {
	queues := readList(os.Args[1])
	perHost, _ := strconv.Atoi(os.Args[2])
	atOnce, _ := strconv.Atoi(os.Args[3])

	verifier := emailverifier.NewVerifier().
		EnableSMTPCheck().
		EnableCatchAllCheck().
		HelloName("prober.test").
		FromEmail("probe@prober.test").
		ConnectTimeout(timeout).
		OperationTimeout(timeout)

	out := bufio.NewWriter(os.Stdout)
	var printing sync.Mutex
	var done sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, queue := range queues {
		for i := 0; i < perHost; i++ {
			done.Add(1)
			go func() {
				defer done.Done()
				for email := range queue {
					slots <- struct{}{}
					result, _ := verifier.Verify(email) // on an error, Reachable is "unknown"
					<-slots
					printing.Lock()
					fmt.Fprintf(out, "%s\t%s\n", email, result.Reachable)
					printing.Unlock()
				}
			}()
		}
	}
	done.Wait()
	out.Flush()
}

// One queue per mail host, filled and closed.
func readList(path string) map[string]chan string {
	file, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	atHost := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		columns := strings.Split(line, "\t")
		atHost[columns[1]] = append(atHost[columns[1]], columns[0])
	}
	queues := map[string]chan string{}
	for host, emails := range atHost {
		queue := make(chan string, len(emails))
		for _, email := range emails {
			queue <- email
		}
		close(queue)
		queues[host] = queue
	}
	return queues
}
